// Written from the API description by scripts/write-client.ts: not changed by hand.
export const API_VERSION = '2026-09-08.gauss';

/** Operations of which a repetition with the same key is answered as the first time. */
export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([
  'POST /subscriptions',
  'POST /grid-fee-reductions',
  'POST /meter-orders',
  'POST /meter-readings',
  'POST /leads',
  'POST /assets',
]);

export interface paths {
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description RFC 6749. 5 requests a second of one client, 20 at once; wrong secrets make further attempts wait. `X-API-Version` is not read.
         */
        post: operations["postOauthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a token
         * @description RFC 7009. A refresh token ends with everything that was issued with it, an access token alone. `X-API-Version` is not read.
         */
        post: operations["postOauthRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether a token works
         * @description RFC 7662; for clients with a secret. `X-API-Version` is not read.
         */
        post: operations["postOauthIntrospect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers
         * @description Newest first. `filter[email]` compares without regard to case.
         */
        get: operations["getCustomers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a customer */
        get: operations["getCustomersId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the names of a customer
         * @description Only the names that are sent change. Another field of the customer is refused when it is sent with another value than the stored one, and so are unknown fields. Nothing changes of a customer who was erased.
         */
        patch: operations["patchCustomersId"];
        trace?: never;
    };
    "/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description Newest first. What belongs to a subscription is shown by its id here. To keep a copy, ask for what changed with `filter[updated_at][gte]`, from 60 seconds before the `Date` of the answer you had last: a change that is being stored while you ask carries an earlier instant, and is stored within that time or not at all. `updated_at` of a subscription never goes back.
         */
        get: operations["getSubscriptions"];
        put?: never;
        /**
         * Sign up
         * @description Creates customer, household, meter and contract in one step, or joins what is there: a known e-mail address needs `household`, an id of a customer finds the household by its meter. Supply begins when the grid operator has confirmed it.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `unsupported_product`: The plan does not offer this product, or is archived and no longer sold.
         *     - `unserviceable_zip`: Nobody is supplied at this ZIP code; the page `/docs/served-zips` says why.
         *     - `missing_household`: The household is unknown.
         *     - `invalid_household_customer`: The household is not the household of this customer.
         *     - `invalid_household_meter`: The meter is not the meter of the household.
         *     - `unsupported_meter`: This type of meter is not supported here.
         *     - `unsupported_meter_order`: A smart meter cannot be ordered where one is.
         *     - `missing_module_1`: Module 3 needs module 1.
         *     - `missing_smart_meter`: Module 3 needs a smart meter.
         *     - `invalid_iban`: The IBAN is not valid: its length or its check digits are not those of its country.
         *     - `duplicate_customer_email`: A customer has this e-mail address: send its id as `customer`, or one of its households as `household`.
         *     - `duplicate_consumption_subscription`: The household has a consumption subscription at that time.
         *     - `duplicate_meter_order`: A meter is ordered already.
         *     - `duplicate_grid_reduction`: The module of the grid fee reduction is ordered already.
         */
        post: operations["postSubscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a subscription
         * @description With its customer, addresses, meter, payment method and previous supplier.
         */
        get: operations["getSubscriptionsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a subscription
         * @description Only the sent fields change. The billing address changes in place, a payment method is replaced by a new one, and `metadata` is merged by key. An ended subscription cannot be changed. Another field of the subscription is refused when it is sent with another value than the stored one; unknown fields are ignored.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `ended_subscription`: The subscription has ended.
         *     - `invalid_iban`: The IBAN is not valid: its length or its check digits are not those of its country.
         */
        patch: operations["patchSubscriptionsId"];
        trace?: never;
    };
    "/subscriptions/{id}/terminate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Terminate a subscription
         * @description Supply ends at midnight in Berlin, after three working days of notice to the grid operator at the earliest. `ORDINARY` also keeps the cancellation period of the plan; `MOVE_OUT` needs the date; `WITHDRAWAL` is open to persons until 14 days after the confirmation and takes the earliest date; before the confirmation it ends the subscription at once, without supply. Feed-in ends with a month. A second termination is accepted only when it ends supply earlier.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `ended_subscription`: The subscription has ended.
         *     - `subscription_not_started`: The start of the subscription is not confirmed yet.
         *     - `invalid_termination_date`: Supply cannot end at this date.
         *     - `withdrawal_not_allowed`: Not a consumer, or the time for a withdrawal is over.
         */
        post: operations["postSubscriptionsIdTerminate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grid-fee-reductions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List grid fee reductions
         * @description Newest first.
         */
        get: operations["getGridFeeReductions"];
        put?: never;
        /**
         * Order a grid fee reduction
         * @description For a subscription of a plan that sells the module. Module 3 needs module 1 and a smart meter; module 2 stands alone. It is `ordered` where the subscription is active, else `intended` until the grid operator has confirmed it.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `ended_subscription`: The subscription has ended.
         *     - `unsupported_product`: The plan does not offer this product, or is archived and no longer sold.
         *     - `missing_module_1`: Module 3 needs module 1.
         *     - `missing_smart_meter`: Module 3 needs a smart meter.
         *     - `duplicate_grid_reduction`: The module of the grid fee reduction is ordered already.
         */
        post: operations["postGridFeeReductions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grid-fee-reductions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a grid fee reduction */
        get: operations["getGridFeeReductionsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/meter-orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List meter orders
         * @description Orders of smart meters, newest first.
         */
        get: operations["getMeterOrders"];
        put?: never;
        /**
         * Order a smart meter
         * @description For a contract of consumption whose meter is analog and whose plan has a smart meter, once for each contract: an order that was cancelled counts as well. The metering partner moves the order on; each `status` that it reaches is an event. With the mounted meter the contract has another meter number, and usage by quarter hours.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `ended_subscription`: The subscription has ended.
         *     - `unsupported_meter_order`: A smart meter cannot be ordered where one is.
         *     - `unsupported_product`: The plan does not offer this product, or is archived and no longer sold.
         *     - `duplicate_meter_order`: A meter is ordered already.
         */
        post: operations["postMeterOrders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/meter-orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a meter order
         * @description How far the order of a smart meter is.
         */
        get: operations["getMeterOrdersId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/meter-readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List meter readings
         * @description Newest first.
         */
        get: operations["getMeterReadings"];
        put?: never;
        /**
         * Send a meter reading
         * @description For consumption on analog meters, one a day, from the first day of supply to the day of its end. The value must fit the other readings of the meter, and what the contract is expected to use. A day that is billed already, or lies between two readings that are no estimates, can be entered by the supplier only.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `unsupported_meter`: This type of meter is not supported here.
         *     - `unsupported_meter_reading`: No readings are taken for this subscription.
         *     - `out_of_period_meter_reading`: The reading lies outside the supply period, or in the future.
         *     - `duplicate_meter_reading`: There is a reading for this day.
         *     - `implausible_meter_reading`: The value does not fit the other readings.
         */
        post: operations["postMeterReadings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Usage of a subscription
         * @description Of smart meters by quarter hours: values of the metering operator are `final`; until they come, values measured at the grid connection of the household stand in for them from 16:00 of the next day, `preliminary` until 16:00 of the 8th working day of the following month. From that instant they are `final`, and only the metering operator replaces them. Of analog meters by months: the difference between two readings, spread by the load profile of households, is `final`, and `preliminary` next to an estimate; before the first and after the latest reading the estimate of the contract is `preliminary`. Where the meter changed within the period, the answer has months. Days, weeks and months are those of Berlin, cut at `start` and `end`; a sum is `final` when all of its values are.
         */
        get: operations["getSubscriptionsIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices
         * @description Newest first. No call changes an invoice: what happens to it is told by events.
         */
        get: operations["getInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve an invoice */
        get: operations["getInvoicesId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the document of an invoice
         * @description Leads to the PDF. The link is a key: it opens the document without a token, for one hour. A document is made soon after its invoice was issued; until then it is not found.
         */
        get: operations["getInvoicesIdFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{id}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices of a subscription
         * @description What a kWh costs, or what is paid for one that is fed in, in each interval of a period: VAT is included, except for feed-in of a tax-exempt customer. Plan, levies, VAT and grid fees are those of each day, and the grid follows the active reductions: with module 3 the band of the interval; an hour has the mean of its quarter hours. A price list that has ended counts for up to 366 days more where none follows; then a `Link` with `rel="describedby"` names its table. Without a published price `electricity` and `amount` are null. Base fees, metering and the yearly credit of module 1 are no part of it. The answer has an `ETag`; sent back as `If-None-Match` it is answered 304 while nothing changed.
         */
        get: operations["getSubscriptionsIdPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans
         * @description Newest first. Archived plans are listed too; `filter[status][eq]=active` leaves them out.
         */
        get: operations["getPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a plan */
        get: operations["getPlansId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans/{id}/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote a plan
         * @description What a plan costs in a month at a place, row by row as it stands on the bill, or what it pays for feeding in. Nothing is stored. Archived plans are quoted too. Needs the scope `write:*`.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `unserviceable_zip`: Nobody is supplied at this ZIP code; the page `/docs/served-zips` says why.
         *     - `unsupported_product`: The plan does not offer this product, or is archived and no longer sold.
         *     - `missing_module_1`: Module 3 needs module 1.
         */
        post: operations["postPlansIdQuote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans/{id}/savings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a plan with what a household pays now
         * @description For a year of the household described, against its current tariff or, where none is sent, the mean of the market. `usage`, `optimization_rate` and `grid_fee_reductions` of the answer can be sent to `POST /plans/{id}/quote` as they are. Discounts of the plan are left out. Nothing is stored.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `unserviceable_zip`: Nobody is supplied at this ZIP code; the page `/docs/served-zips` says why.
         *     - `unsupported_product`: The plan does not offer this product, or is archived and no longer sold.
         */
        post: operations["postPlansIdSavings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List leads
         * @description Newest first.
         */
        get: operations["getLeads"];
        put?: never;
        /**
         * Create a lead
         * @description Keeps what is known of somebody who may sign up, and answers a link to the checkout.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `unsupported_product`: The plan does not offer this product, or is archived and no longer sold.
         *     - `unserviceable_zip`: Nobody is supplied at this ZIP code; the page `/docs/served-zips` says why.
         *     - `invalid_iban`: The IBAN is not valid: its length or its check digits are not those of its country.
         */
        post: operations["postLeads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a lead */
        get: operations["getLeadsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/market-partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List market partners
         * @description Suppliers that a customer may come from, newest first.
         */
        get: operations["getMarketPartners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/households": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List households
         * @description Newest first. Customer and address are ids here.
         */
        get: operations["getHouseholds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/households/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a household
         * @description With its customer and its delivery address.
         */
        get: operations["getHouseholdsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assets
         * @description Newest first, decommissioned ones included.
         */
        get: operations["getAssets"];
        put?: never;
        /**
         * Add a device
         * @description The first device of a household also creates the household's own assets, `household_net` (the grid connection) and `household_residual` (consumption that no other asset covers). `external_id` is never free again, also not after the device was decommissioned; only the erasure of its customer frees it.
         *
         *     Refused by rule, with these codes in `errors`:
         *
         *     - `missing_household`: The household is unknown.
         */
        post: operations["postAssets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve an asset */
        get: operations["getAssetsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an asset
         * @description Only the sent fields change, `null` clears one, and the object of the type is merged field by field. Household and type cannot change; of the household's own assets only `display_name` can. A field that cannot change is refused when it is sent with another value than the stored one; unknown fields are ignored.
         */
        patch: operations["patchAssetsId"];
        trace?: never;
    };
    "/assets/{id}/decommission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a device out of use
         * @description There is no way back. The asset stays readable and listed, takes no snapshots with a later timestamp, and its `external_id` is not free again. Repeating the call returns the asset unchanged.
         */
        post: operations["postAssetsIdDecommission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asset-snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest snapshot of each asset
         * @description One item per asset whose newest snapshot lies within the last 24 hours, newest first. At least one of the filters is required. All pages show what was stored when the first one was read, so that an asset that sends meanwhile is left out of none.
         */
        get: operations["getAssetSnapshots"];
        put?: never;
        /**
         * Store measurements of a household's assets
         * @description Up to 10,000 snapshots of the assets of one household, stored entirely or not at all; every problem is listed by its path. An answer without an error means that every row is on disk. Sending the same body again is safe at any time: rows that are stored with equal values count as duplicates. Of a key that is written twice in an object the last one counts. Numbers are kept as binary64: -0 is stored as 0, 1e-400 as 0.
         */
        post: operations["postAssetSnapshots"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spot-prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Day-ahead prices of a period
         * @description Without dates: today and tomorrow. Delivery days are Berlin days of 23, 24 or 25 hours. Intervals without a published price are listed under `missing`; realized prices and forecasts never fill each other. The answer has an `ETag`; sent back as `If-None-Match` it is answered 304 while nothing changed.
         */
        get: operations["getSpotPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description What happened to contracts and orders in the last 13 months, newest first. `filter[created_at]` compares `timestamp`, which is older than the moment at which an event can be read: to hear of every event ask with `after`, else go back by 60 seconds each time and leave out what is known by its id.
         */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an event
         * @description The same document as the body of its webhooks.
         */
        get: operations["getEventsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/magic_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that lets a customer into the portal
         * @description The link works once within 15 minutes. It is a key: hand it to that customer only, and keep it nowhere. An idempotency key is not taken, because a repeated answer would have to be stored.
         */
        post: operations["postAdminMagicLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "subscription.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A sign-up was accepted
         * @description A sign-up was accepted. `lead` is there where it came from a lead.
         */
        post: operations["onSubscriptionCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The day on which supply begins is fixed, or was changed
         * @description The day on which supply begins is fixed, or was changed.
         */
        post: operations["onSubscriptionConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.activated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Supply has begun
         * @description Supply has begun.
         */
        post: operations["onSubscriptionActivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.terminated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A termination was accepted, or the day on which supply ends was changed
         * @description A termination was accepted, or the day on which supply ends was changed.
         */
        post: operations["onSubscriptionTerminated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The contract has ended; one that the grid operator refused, or that was withdrawn from before, never began
         * @description The contract has ended; one that the grid operator refused, or that was withdrawn from before, never began.
         */
        post: operations["onSubscriptionEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An invoice of any type was issued
         * @description An invoice of any type was issued.
         */
        post: operations["onInvoiceCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * It is paid or settled in full; for an amount in favour of the customer: it was paid out
         * @description It is paid or settled in full; for an amount in favour of the customer: it was paid out.
         */
        post: operations["onInvoicePaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.payment_failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment attempt failed; told each time
         * @description A payment attempt failed; told each time.
         */
        post: operations["onInvoicePaymentFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.uncollectible": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * No further payment is expected
         * @description No further payment is expected.
         */
        post: operations["onInvoiceUncollectible"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.voided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * It was reversed by a void document, voiding_invoice
         * @description It was reversed by a void document, `voiding_invoice`.
         */
        post: operations["onInvoiceVoided"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A smart meter was ordered, by itself or with a sign-up
         * @description A smart meter was ordered, by itself or with a sign-up.
         */
        post: operations["onMeterOrderCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.placed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The order was handed to the metering partner
         * @description The order was handed to the metering partner.
         */
        post: operations["onMeterOrderPlaced"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.check_submitted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The customer has sent the details for the technical check
         * @description The customer has sent the details for the technical check.
         */
        post: operations["onMeterOrderCheckSubmitted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.check_reviewed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The partner has finished the technical check
         * @description The partner has finished the technical check.
         */
        post: operations["onMeterOrderCheckReviewed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.scheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The visit has a date
         * @description The visit has a date.
         */
        post: operations["onMeterOrderScheduled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.installed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The smart meter is mounted
         * @description The smart meter is mounted.
         */
        post: operations["onMeterOrderInstalled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.activated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The smart meter delivers readings
         * @description The smart meter delivers readings.
         */
        post: operations["onMeterOrderActivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.blocked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The order is held back; its blocked_reason says why
         * @description The order is held back; its `blocked_reason` says why.
         */
        post: operations["onMeterOrderBlocked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "meter_order.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The order has ended before the meter delivered readings: it was called off, the contract ended, or there was a smart meter already
         * @description The order has ended before the meter delivered readings: it was called off, the contract ended, or there was a smart meter already.
         */
        post: operations["onMeterOrderCancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "test.event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The operator tries whether an endpoint is reached; sent to that one only, once
         * @description The operator tries whether an endpoint is reached; sent to that one only, once.
         */
        post: operations["onTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description An address in Germany */
        Address: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "address";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Street without the number */
            street: string;
            /** @description With additions: `7a` */
            house_number: string;
            /** @description Postal code, five digits */
            zip: string;
            /** @description City or municipality */
            city: string;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        /** @description A device, or one of a household's own two assets */
        Asset: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the household */
            household: string;
            /**
             * @description Kind of the device; its data stand under the same name
             * @constant
             */
            type: "inverter";
            /** @description The client's own id, as sent; null where none was */
            external_id: string | null;
            /** @description Name for people */
            display_name: string | null;
            /** @description Maker of the device */
            manufacturer: string | null;
            /** @description Model of the device */
            model: string | null;
            /** @description Set on solar arrays and batteries only */
            parent_inverter: string | null;
            /** @description Its ratings, against which every snapshot is checked */
            inverter: {
                /** @description Rated power, kW */
                max_power_kw: number;
                /** @description Whether batteries are connected behind this inverter */
                hybrid: boolean;
            };
            /** @description When the device stopped; null while it is in use */
            decommissioned_at: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        } | {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the household */
            household: string;
            /**
             * @description Kind of the device; its data stand under the same name
             * @constant
             */
            type: "solar";
            /** @description The client's own id, as sent; null where none was */
            external_id: string | null;
            /** @description Name for people */
            display_name: string | null;
            /** @description Maker of the device */
            manufacturer: string | null;
            /** @description Model of the device */
            model: string | null;
            /** @description Set on solar arrays and batteries only */
            parent_inverter: string | null;
            /** @description Its ratings, against which every snapshot is checked */
            solar: {
                /** @description Peak power of the modules, kW */
                peak_power_kw: number;
                /** @description Direction the modules face, degrees clockwise from north */
                azimuth: number | null;
                /** @description Inclination of the modules, degrees from horizontal */
                tilt: number | null;
            };
            /** @description When the device stopped; null while it is in use */
            decommissioned_at: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        } | {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the household */
            household: string;
            /**
             * @description Kind of the device; its data stand under the same name
             * @constant
             */
            type: "battery";
            /** @description The client's own id, as sent; null where none was */
            external_id: string | null;
            /** @description Name for people */
            display_name: string | null;
            /** @description Maker of the device */
            manufacturer: string | null;
            /** @description Model of the device */
            model: string | null;
            /** @description Set on solar arrays and batteries only */
            parent_inverter: string | null;
            /** @description Its ratings, against which every snapshot is checked */
            battery: {
                /** @description Usable capacity, kWh */
                capacity_kwh: number;
                /** @description Rated charging power, kW */
                max_charge_power_kw: number;
                /** @description Rated discharging power, kW */
                max_discharge_power_kw: number;
            };
            /** @description When the device stopped; null while it is in use */
            decommissioned_at: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        } | {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the household */
            household: string;
            /**
             * @description Kind of the device; its data stand under the same name
             * @constant
             */
            type: "wallbox";
            /** @description The client's own id, as sent; null where none was */
            external_id: string | null;
            /** @description Name for people */
            display_name: string | null;
            /** @description Maker of the device */
            manufacturer: string | null;
            /** @description Model of the device */
            model: string | null;
            /** @description Set on solar arrays and batteries only */
            parent_inverter: string | null;
            /** @description Its ratings, against which every snapshot is checked */
            wallbox: {
                /** @description Rated charging power, kW */
                max_power_kw: number;
                /** @description Number of connected phases */
                phases: (1 | 3) | null;
                /** @description Whether the car can feed back */
                bidirectional: boolean;
            };
            /** @description When the device stopped; null while it is in use */
            decommissioned_at: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        } | {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the household */
            household: string;
            /**
             * @description Kind of the device; its data stand under the same name
             * @constant
             */
            type: "heat_pump";
            /** @description The client's own id, as sent; null where none was */
            external_id: string | null;
            /** @description Name for people */
            display_name: string | null;
            /** @description Maker of the device */
            manufacturer: string | null;
            /** @description Model of the device */
            model: string | null;
            /** @description Set on solar arrays and batteries only */
            parent_inverter: string | null;
            /** @description Its ratings, against which every snapshot is checked */
            heat_pump: {
                /** @description Rated electrical power, kW */
                max_power_kw: number;
                /** @description Rated heat output, kW */
                thermal_power_kw: number | null;
            };
            /** @description When the device stopped; null while it is in use */
            decommissioned_at: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        } | {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the household */
            household: string;
            /**
             * @description `household_net`: the grid connection; `household_residual`: what no other asset of the household covers
             * @enum {string}
             */
            type: "household_net" | "household_residual";
            /** @description The client's own id, as sent; null where none was */
            external_id: string | null;
            /** @description Name for people */
            display_name: string | null;
            /** @description Maker of the device */
            manufacturer: string | null;
            /** @description Model of the device */
            model: string | null;
            /** @description Set on solar arrays and batteries only */
            parent_inverter: string | null;
            /** @description When the device stopped; null while it is in use */
            decommissioned_at: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        };
        AssetSnapshot: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "asset_snapshot";
            /** @description Id of the household */
            household: string;
            /** @description Id of the asset */
            asset: string;
            /**
             * Format: date-time
             * @description When it was measured, by the gateway's clock
             */
            timestamp: string;
            /** @description Power in kW, positive into the asset, negative out of it */
            power_kw?: number | null;
            /** @description Batteries: charge as a share of the capacity, 0 to 1 */
            state_of_charge?: number | null;
            /** @description Wallboxes: whether a vehicle is plugged in */
            connected?: boolean | null;
            /** @description Wallboxes: charge of the vehicle as a share of its battery's capacity, 0 to 1 */
            vehicle_state_of_charge?: number | null;
            /**
             * Format: date-time
             * @description When the row was stored
             */
            created_at: string;
        };
        /** @description One measurement; at least one of the fields that the type of the asset accepts. */
        AssetSnapshotRow: {
            /** @description Id of the asset. Exactly one of `asset` and `external_id` names it. */
            asset?: string;
            /** @description Your own id of the asset, compared as sent. Not together with `asset`. */
            external_id?: string;
            /**
             * Format: date-time
             * @description When it was measured, with time zone, kept to the microsecond; at most one minute ahead.
             */
            timestamp: string;
            /** @description Power in kW, positive into the asset, negative out of it; at most 1.5 times the rating of the asset. */
            power_kw?: number;
            /** @description Batteries: charge as a share of the capacity. */
            state_of_charge?: number;
            /** @description Wallboxes: a vehicle is plugged in. */
            connected?: boolean;
            /** @description Wallboxes: charge of the vehicle as a share of its battery's capacity. */
            vehicle_state_of_charge?: number;
        };
        /** @description A person or a company */
        Customer: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "customer";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /**
             * @description A natural person
             * @constant
             */
            type: "person";
            /** @description First name; of a company that of its contact */
            first_name: string;
            /** @description Last name; of a company that of its contact */
            last_name: string;
            /** @description As spelt at sign-up; compared without regard to case */
            email: string;
            /** @description Tax number or VAT identification number */
            vat_id: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        } | {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "customer";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /**
             * @description A company, with a contact
             * @constant
             */
            type: "company";
            /** @description First name; of a company that of its contact */
            first_name: string;
            /** @description Last name; of a company that of its contact */
            last_name: string;
            /** @description Name of the company */
            company_name: string;
            /** @description As spelt at sign-up; compared without regard to case */
            email: string;
            /** @description Tax number or VAT identification number */
            vat_id: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        Error: {
            /**
             * @description What kind of failure it is; the page of `docs` explains it.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "UNAUTHORIZED" | "PAYMENT_REQUIRED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "UNPROCESSABLE_ENTITY" | "TOO_MANY_REQUESTS" | "INTERNAL_SERVER_ERROR";
            /** @description For people, not for parsing. */
            message: string;
            /**
             * Format: uuid
             * @description Name it when you report a problem.
             */
            requestId: string;
            /**
             * Format: uri
             * @description The page that explains `code`.
             */
            docs: string;
            /** @description Every problem that was found; absent when there is none to name. */
            errors?: components["schemas"]["ErrorEntry"][];
        };
        ErrorEntry: {
            /** @description `invalid_type`, `too_big`, `too_small`, `invalid_format`, `not_multiple_of`, `unrecognized_keys`, `invalid_union`, `invalid_key`, `invalid_element`, `invalid_value`, `custom`, or the name of a business rule. */
            code: string;
            /** @description Dotted path of the field (`snapshots.17.power_kw`), the parameter or header as sent, or empty for the whole body. */
            field: string;
            /** @description What is wrong and what is accepted; for people, not for parsing. */
            message: string;
        };
        Event: {
            /** @description The `webhook-id` of its deliveries, too */
            id: string;
            /** @description Noun and what happened; new topics may come with any release */
            topic: string;
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about, by name. Read the resource for everything else */
            context: {
                [key: string]: string;
            };
        };
        GridFeeReduction: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "grid_fee_reduction";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the customer */
            customer: string;
            /** @description Id of the subscription */
            subscription: string;
            /**
             * @description Module of section 14a EnWG: 1 a credit by the year, 2 a lower working price for a device with a meter of its own, 3 prices by the clock
             * @enum {string}
             */
            type: "enwg-14a-module-1" | "enwg-14a-module-2" | "enwg-14a-module-3";
            /**
             * @description `intended` until the subscription is confirmed, `ordered` until the grid operator answers, `activated` or `rejected` by its answer, `ended` when it stopped
             * @enum {string}
             */
            status: "intended" | "ordered" | "activated" | "rejected" | "ended";
            /** @description In force from this instant; null until the grid operator has accepted */
            valid_from: string | null;
            /** @description No longer in force from this instant; null until it ended */
            valid_until: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
        };
        /** @description The contracts and devices at one metering point */
        Household: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "household";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Null until the operator sets it */
            display_name: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
            customer: components["schemas"]["Customer"];
            /** @description Delivery address */
            address: components["schemas"]["Address"] | null;
        };
        HouseholdListItem: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "household";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Null until the operator sets it */
            display_name: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
            /** @description Id of the customer */
            customer: string;
            /** @description Id of the delivery address */
            address: string | null;
        };
        Introspection: {
            /** @description Whether it works now. A token that is dead, unknown or of another organization has nothing else. */
            active: boolean;
            /** @description What it may do. */
            scope?: string;
            /** @description The client that it was given to. */
            client_id?: string;
            /** @description The customer for whom it acts; else the client. */
            sub?: string;
            /**
             * @description Which kind it is.
             * @enum {string}
             */
            token_type?: "Bearer" | "refresh_token";
            /** @description Seconds since 1970 at which it was given. */
            iat?: number;
            /** @description Seconds since 1970 at which it ends. */
            exp?: number;
            /** @description This service. */
            iss?: string;
            /** @description This service. */
            aud?: string;
        };
        Invoice: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "invoice";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /**
             * @description `usage`: what was used, or fed in; `prepayment`: a monthly advance; `void`: reverses another invoice; `exit_summary`: settles corrections of an ended subscription
             * @enum {string}
             */
            type: "usage" | "prepayment" | "void" | "exit_summary";
            /** @description Id of the customer */
            customer: string;
            /** @description Id of the subscription */
            subscription: string;
            /** @description Printed on the document */
            invoice_number: string;
            /** @description Month in Berlin in which the period starts; of an exit summary the last month of supply */
            month: number;
            /** @description Year of `month` */
            year: number;
            /**
             * Format: date-time
             * @description A midnight in Berlin, included
             */
            period_start: string;
            /**
             * Format: date-time
             * @description A midnight in Berlin, not included
             */
            period_end: string;
            /** @description Counts the periods of the subscription; documents about the same period share it */
            period_number: number;
            /**
             * @description `open`: issued and not settled; `paid`: paid, or paid out; `uncollectible`: no further payment is expected; `voided`: reversed by a void document
             * @enum {string}
             */
            status: "open" | "paid" | "uncollectible" | "voided";
            /** @description kWh of the period, 4 decimals; of usage invoices only */
            usage?: number;
            /** @description EUR with VAT: positive is charged, negative is paid out */
            total: number;
            /** @description Id of the reversed invoice; of void documents only */
            voids?: string;
            /** @description When the document was issued */
            issued_at: string | null;
            /** @description Kept when the invoice is voided later */
            paid_at: string | null;
        };
        InvoiceCreatedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "invoice.created";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the invoice */
                invoice: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        InvoicePaidEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "invoice.paid";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the invoice */
                invoice: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        InvoicePaymentFailedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "invoice.payment_failed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the invoice */
                invoice: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        InvoiceUncollectibleEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "invoice.uncollectible";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the invoice */
                invoice: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        InvoiceVoidedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "invoice.voided";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the invoice */
                invoice: string;
                /** @description Id of the subscription */
                subscription: string;
                /** @description Id of the voiding invoice */
                voiding_invoice: string;
            };
        };
        Lead: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "lead";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Where the person signs up; works until the lead is converted */
            link: string;
            /** @description Id of the subscription it became */
            subscription: string | null;
            /** @description When the person signed up */
            subscribed_at: string | null;
            /** @description E-mail address of the member of your staff */
            created_by: string | null;
            /** @description When the link was opened last */
            last_visited_at: string | null;
            /** @description As the client sent it */
            metadata: {
                [key: string]: string;
            } | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        MagicLink: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "magic_link";
            /**
             * Format: uri
             * @description Works once within 15 minutes; `next` in it may be replaced by another path of the portal
             */
            link: string;
        };
        MarketPartner: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "market_partner";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Name of the company */
            name: string;
            /** @description ISO 3166-1, two letters */
            country: string;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /** @description BDEW code, 13 digits */
            code: string;
            /**
             * @description Who gives the code
             * @constant
             */
            code_type: "BDEW";
            /**
             * @description Its role in the market
             * @constant
             */
            type: "supplier";
        };
        /** @description The meter of a household */
        Meter: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "meter";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Upper-case, without blanks */
            number: string;
            /**
             * @description `smart`: it sends quarter hours; `analog`: somebody reads it
             * @enum {string}
             */
            type: "smart" | "analog";
            /** @description Metering location, 33 characters */
            melo: string | null;
            /** @description Market location, 11 digits */
            malo: string | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        MeterOrder: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "meter_order";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the subscription */
            subscription: string;
            /** @description Id of the customer */
            customer: string;
            /**
             * @description Who delivers and operates the meter
             * @enum {string}
             */
            provider: "energy-metering" | "partner-b" | "partner-c";
            /**
             * @description `created`: ordered; `placed`: handed to the provider; `check_submitted`: the customer sent the details for the check; `check_reviewed`: checked; `scheduled`: the visit has a date; `installed`: mounted; `activated`: delivers readings. Stages may be skipped
             * @enum {string}
             */
            status: "created" | "placed" | "check_submitted" | "check_reviewed" | "scheduled" | "installed" | "activated" | "cancelled";
            /** @description When the fitter comes; may change while `scheduled` */
            appointment_at: string | null;
            /** @description When it was reported as mounted; null too where that was never said */
            installed_at: string | null;
            /** @description When it was reported as delivering readings */
            activated_at: string | null;
            /** @description When it ended before the meter delivered readings */
            cancelled_at: string | null;
            /** @description `pre_existing`: a smart meter was there already; `customer_request`: called off, or the contract ended */
            cancelled_reason: ("pre_existing" | "customer_request") | null;
            /** @description Held back since; null when it goes on */
            blocked_at: string | null;
            /** @description `check_missing`: waits for an approval; `grid_operator_registration`: waits for the grid operator */
            blocked_reason: ("check_missing" | "grid_operator_registration") | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        MeterOrderActivatedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.activated";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderBlockedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.blocked";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderCancelledEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.cancelled";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderCheckReviewedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.check_reviewed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderCheckSubmittedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.check_submitted";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderCreatedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.created";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderInstalledEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.installed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderPlacedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.placed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterOrderScheduledEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "meter_order.scheduled";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the meter order */
                meter_order: string;
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        MeterReading: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "meter_reading";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the customer */
            customer: string;
            /** @description Id of the subscription */
            subscription: string;
            /** @description Id of the meter */
            meter: string;
            /** @description Cumulative kWh */
            value: number;
            /**
             * Format: date-time
             * @description Start of the day in Berlin
             */
            timestamp: string;
            /**
             * @description `customer_report`: sent here; the other two come from the metering operator
             * @enum {string}
             */
            type: "customer_report" | "grid_reading" | "grid_estimation";
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        /** @description How a contract is paid */
        PaymentMethod: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "payment_method";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /**
             * @description SEPA direct debit
             * @constant
             */
            type: "sepa_debit";
            /** @description The account that is debited */
            sepa_debit: {
                /** @description Country code and the last four characters; the rest is masked */
                iban: string;
                /** @description Whose account it is */
                account_holder: string;
            };
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        Plan: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "plan";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description As it is shown to customers */
            name: string;
            /** @description Lower-case letters, digits, hyphens; unique */
            slug: string;
            /** @description Empty when there is none */
            description: string;
            /**
             * @description `feed_in`: the customer is paid for what is fed in
             * @enum {string}
             */
            type: "consumption" | "feed_in";
            /** @description Base fee of the supplier in EUR per month, VAT included; grid and metering fees come on top */
            price: number;
            /**
             * @description Currency of `price`, ISO 4217
             * @constant
             */
            currency: "EUR";
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        Quote: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "quote";
            /** @description EUR per month with VAT; feed-in plans: what the customer receives, less the base fee */
            amount: number;
            /**
             * @description Currency of all amounts, ISO 4217
             * @constant
             */
            currency: "EUR";
            /** @description Absent where the plan has none; components are shown without it */
            discount?: {
                /** @description As it is shown to customers */
                name: string;
                /** @description EUR; never more than `regular_amount` */
                amount_off: number;
                /**
                 * @description `once`: of one month; `recurring`: of `duration_in_months` months
                 * @enum {string}
                 */
                duration: "once" | "recurring";
                /** @description Null for `once` */
                duration_in_months: number | null;
                /** @description EUR without the discount */
                regular_amount: number;
            };
            /**
             * @description The period that every amount covers
             * @constant
             */
            resolution: "month";
            /** @description `base`, then `variable`; feed-in plans without a base fee have no `base` */
            components: {
                /**
                 * @description `base`: for each month; `variable`: for each kWh
                 * @enum {string}
                 */
                group: "base" | "variable";
                /** @description EUR: `quantity` times `unit_amount` */
                amount: number;
                /** @description 1 month, or a twelfth of the yearly kWh with 4 decimals */
                quantity: number;
                /**
                 * @description Unit of `quantity`
                 * @enum {string}
                 */
                quantity_unit: "month" | "kWh";
                /** @description Sum of the subcomponents */
                unit_amount: number;
                /** @description The rows, whose amounts add up to `unit_amount` */
                subcomponents: {
                    /**
                     * @description What the row pays for
                     * @enum {string}
                     */
                    subgroup: "fee" | "grid" | "metering" | "energy" | "optimization" | "levies";
                    /** @description As it is shown to customers */
                    name: string;
                    /** @description 6 decimals; `base`: EUR per month, `variable`: EUR per kWh */
                    amount: number;
                }[];
            }[];
            /**
             * Format: date-time
             * @description Its day in Germany selects all reference data
             */
            quoted_at: string;
        };
        Savings: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "savings";
            /** @description Sum of the components; `cost.before` less `cost.after`, EUR a year with VAT */
            savings: number;
            /**
             * @description The period that every amount covers
             * @constant
             */
            resolution: "year";
            /** @description What a year costs */
            cost: {
                /** @description With the current tariff, or the mean of the market, EUR a year with VAT */
                before: number;
                /** @description With the plan, EUR a year with VAT */
                after: number;
            };
            /** @description The usage that was priced, the assets included */
            usage: {
                /** @description kWh a year that were priced, whole */
                consumption: number;
            };
            /** @description Share of the energy price that this mix of assets saves by shifting load, 4 decimals */
            optimization_rate: number;
            /** @description Modules of §14a EnWG that the savings count on */
            grid_fee_reductions: {
                /** @description A device can be controlled and the plan sells it */
                "14a_module_1": boolean;
                /** @description Beside module 1: the plan sells it and the grid operator has a schedule */
                "14a_module_3": boolean;
            };
            /** @description Always these three, each against what the ones before it left */
            components: {
                /**
                 * @description Where it is saved
                 * @enum {string}
                 */
                group: "tariff" | "grid_fee_reductions" | "optimization";
                /** @description Sum of the lines, EUR a year with VAT */
                savings: number;
                /** @description The lines of the group */
                subcomponents: {
                    /**
                     * @description What is saved
                     * @enum {string}
                     */
                    subgroup: "base" | "variable" | "14a_module_1" | "14a_module_3";
                    /** @description To be shown */
                    name: string;
                    /** @description 0 where not earned; negative where it costs more, EUR a year with VAT */
                    savings: number;
                }[];
            }[];
        };
        SpotPrices: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "price";
            /**
             * @description As asked for: realized prices, or a forecast
             * @enum {string}
             */
            type: "day_ahead" | "day_ahead_forecast";
            /** @description What was asked for */
            period: {
                /**
                 * Format: date-time
                 * @description Berlin midnight of the first date
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description Berlin midnight after the last date, exclusive
                 */
                end: string;
            };
            /**
             * @description Currency of all amounts, ISO 4217
             * @constant
             */
            currency: "EUR";
            /**
             * @description Unit of all amounts: cents per kWh
             * @constant
             */
            unit: "ct/kWh";
            /**
             * @description `hourly` when every date lies before 2025-10-01, the first day of quarter-hourly prices; else `15min`, with hourly prices repeated four times
             * @enum {string}
             */
            resolution: "hourly" | "15min";
            /** @description Starts of the intervals without a published price; with `items` they cover the period */
            missing: string[];
            /** @description The intervals with a price, ascending */
            items: {
                /**
                 * Format: date-time
                 * @description Start of the interval, UTC, whole seconds
                 */
                timestamp: string;
                /** @description Market price in ct/kWh without fees, margins, taxes and levies; exact decimal, negative prices included */
                amount: number;
            }[];
        };
        Subscription: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "subscription";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the plan */
            plan: string;
            /** @description Id of the household */
            household: string;
            /** @description Eight characters for people */
            number: string | null;
            /**
             * @description `pending` until supply begins, `active` while it lasts, `ended` after it or when it was refused
             * @enum {string}
             */
            status: "pending" | "active" | "ended";
            /**
             * @description `feed_in`: the customer is paid for what is fed in
             * @enum {string}
             */
            type: "consumption" | "feed_in";
            /** @description kWh a year; for feed-in the expected feed-in */
            estimated_usage: number;
            /** @description Beginning of supply, Berlin midnight; null until the grid operator has confirmed */
            start_at: string | null;
            /** @description When the termination in force was recorded */
            terminated_at: string | null;
            /** @description End of supply, exclusive */
            end_at: string | null;
            /** @description As the client sent it */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
            customer: components["schemas"]["Customer"];
            /** @description Delivery address */
            address: components["schemas"]["Address"] | null;
            billing_address: components["schemas"]["Address"];
            meter: components["schemas"]["Meter"];
            payment_method: components["schemas"]["PaymentMethod"];
            /** @description Previous supplier; null for a move-in and for feed-in */
            supplier: components["schemas"]["Supplier"] | null;
        };
        SubscriptionActivatedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "subscription.activated";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        SubscriptionConfirmedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "subscription.confirmed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        SubscriptionCreatedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "subscription.created";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the subscription */
                subscription: string;
                /** @description Id of the lead */
                lead?: string;
            };
        };
        SubscriptionEndedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "subscription.ended";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        SubscriptionListItem: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "subscription";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Id of the plan */
            plan: string;
            /** @description Id of the household */
            household: string;
            /** @description Eight characters for people */
            number: string | null;
            /**
             * @description `pending` until supply begins, `active` while it lasts, `ended` after it or when it was refused
             * @enum {string}
             */
            status: "pending" | "active" | "ended";
            /**
             * @description `feed_in`: the customer is paid for what is fed in
             * @enum {string}
             */
            type: "consumption" | "feed_in";
            /** @description kWh a year; for feed-in the expected feed-in */
            estimated_usage: number;
            /** @description Beginning of supply, Berlin midnight; null until the grid operator has confirmed */
            start_at: string | null;
            /** @description When the termination in force was recorded */
            terminated_at: string | null;
            /** @description End of supply, exclusive */
            end_at: string | null;
            /** @description As the client sent it */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last
             */
            updated_at: string;
            /** @description Id of the customer */
            customer: string;
            /** @description Id of the delivery address */
            address: string | null;
            /** @description Id of the billing address */
            billing_address: string;
            /** @description Id of the meter */
            meter: string;
            /** @description Id of the payment method */
            payment_method: string;
            /** @description Id of the previous supplier; null for a move-in and for feed-in */
            supplier: string | null;
        };
        SubscriptionPrices: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "price";
            /** @description Id of the subscription */
            subscription: string;
            /** @description As asked for; both days are included */
            period: {
                /**
                 * Format: date
                 * @description First day, Europe/Berlin
                 */
                start: string;
                /**
                 * Format: date
                 * @description Last day, Europe/Berlin
                 */
                end: string;
            };
            /**
             * @description Currency of all amounts, ISO 4217
             * @constant
             */
            currency: "EUR";
            /**
             * @description Unit of all amounts: cents per kWh
             * @constant
             */
            unit: "ct/kWh";
            /**
             * @description `hourly` when every day lies before 2025-10-01, the first day of quarter-hourly prices; else `15min`, with hourly prices repeated four times
             * @enum {string}
             */
            resolution: "hourly" | "15min";
            /**
             * @description The market price on which `electricity` is based
             * @enum {string}
             */
            reference: "EPEX Day-Ahead Hourly" | "EPEX Day-Ahead 15min";
            /** @description Intervals outside supply are left out; null when supply does not cover any part of the period */
            items: {
                /**
                 * Format: date-time
                 * @description Start of the interval, UTC, whole seconds
                 */
                timestamp: string;
                /** @description Sum of the components, VAT included; null when one of them is */
                amount: number | null;
                /** @description In this order; of a feed-in contract `electricity` only. `electricity`: market price and procurement margin, or the compensation. `grid`: working price of the grid with the active reductions (§14a EnWG). `levies`: Konzessionsabgabe, Stromsteuer and the levies of the day */
                components: {
                    /**
                     * @description What the part pays for
                     * @enum {string}
                     */
                    type: "electricity" | "grid" | "levies";
                    /** @description ct/kWh with at most 6 decimals; null without a published price, or without a price list that counts on the day */
                    amount: number | null;
                }[];
            }[] | null;
        };
        SubscriptionTerminatedEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "subscription.terminated";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: {
                /** @description Id of the subscription */
                subscription: string;
            };
        };
        /** @description Previous supplier */
        Supplier: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "supplier";
            /** @description Id of this object: opaque, case-sensitive, never given again */
            id: string;
            /** @description Name of the company */
            name: string;
            /** @description ISO 3166-1, two letters */
            country: string;
            /**
             * Format: date-time
             * @description When it was made in the service
             */
            created_at: string;
        };
        Termination: {
            /**
             * @description As it was sent
             * @enum {string}
             */
            reason: "ORDINARY" | "MOVE_OUT" | "WITHDRAWAL";
            /**
             * Format: date-time
             * @description End of supply, exclusive, with the offset of Berlin; the second of the call where supply is not confirmed
             */
            intended_end_at: string;
        };
        TestEventEvent: {
            /** @description Id of the event, the same as `webhook-id` */
            id: string;
            /**
             * @description What happened
             * @constant
             */
            topic: "test.event";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids of what it is about; read the resource for everything else */
            context: Record<string, never>;
        };
        TokenError: {
            /**
             * @description What kind of failure it is; the page of `docs` explains it.
             * @enum {string}
             */
            code: "BAD_REQUEST" | "UNAUTHORIZED" | "PAYMENT_REQUIRED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "UNPROCESSABLE_ENTITY" | "TOO_MANY_REQUESTS" | "INTERNAL_SERVER_ERROR";
            /** @description For people, not for parsing. */
            message: string;
            /**
             * Format: uuid
             * @description Name it when you report a problem.
             */
            requestId: string;
            /**
             * Format: uri
             * @description The page that explains `code`.
             */
            docs: string;
            /** @description Every problem that was found; absent when there is none to name. */
            errors?: components["schemas"]["ErrorEntry"][];
            /**
             * @description The code of RFC 6749, 5.2.
             * @enum {string}
             */
            error: "invalid_request" | "invalid_client" | "invalid_grant" | "invalid_scope" | "unauthorized_client" | "unsupported_grant_type" | "slow_down" | "temporarily_unavailable" | "server_error";
            /** @description Equal to `message`. */
            error_description: string;
        };
        TokenQuestion: {
            /** @description An access token or a refresh token. */
            token: string;
            /** @description Not needed: the form of a token shows its kind. */
            token_type_hint?: string;
            /** @description Of a client without a secret. */
            client_id?: string;
        };
        TokenRequest: {
            /**
             * @description What the token is asked for with: the client alone, the code of a customer, or a refresh token.
             * @enum {string}
             */
            grant_type: "client_credentials" | "authorization_code" | "refresh_token";
            /** @description With `authorization_code`: works once, for 10 minutes. */
            code?: string;
            /** @description With `authorization_code`: as it was sent to authorize. */
            redirect_uri?: string;
            /** @description With `authorization_code`, where a challenge was sent. */
            code_verifier?: string;
            /** @description With `refresh_token`: each use ends it, and the answer holds the next one. */
            refresh_token?: string;
            /** @description Of a client without a secret. */
            client_id?: string;
            /**
             * @description Some of the scopes of the client, with one blank between them; left out: all of them. With `refresh_token` for this one access token, and never more than was granted at first.
             * @example read:*
             */
            scope?: string;
        };
        TokenResponse: {
            /** @description To be sent as `Authorization: Bearer …`. */
            access_token: string;
            /**
             * @description How the token is sent (RFC 6750).
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds. */
            expires_in: number;
            /** @description Absent for a client that may not refresh. */
            refresh_token?: string;
            /** @description What was given: the scopes that were asked for, or all of the client. */
            scope: string;
        };
        Usage: {
            /**
             * @description Says what kind of object it is
             * @constant
             */
            object: "usage";
            /**
             * @description Kind of the meter that the figures come from
             * @enum {string}
             */
            meter_type: "smart" | "analog";
            /**
             * @description The one that is delivered
             * @enum {string}
             */
            resolution: "15min" | "hour" | "day" | "week" | "month";
            /** @description Ascending; intervals of which nothing is known are left out */
            data: {
                /**
                 * Format: date-time
                 * @description UTC; each interval ends where the next one may begin
                 */
                start: string;
                /** @description kWh, positive in both directions */
                usage: number;
                /**
                 * @description `preliminary`: an estimate, or not complete yet
                 * @enum {string}
                 */
                type: "final" | "preliminary";
            }[];
        };
    };
    responses: {
        /** @description Something in the request is not valid; nothing was stored (`BAD_REQUEST`). */
        400: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No valid access token (`UNAUTHORIZED`). */
        401: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account of the organization is past due (`PAYMENT_REQUIRED`). */
        402: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The token does not allow this, or it is not enabled for the organization (`FORBIDDEN`). */
        403: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It does not exist for this organization (`NOT_FOUND`). */
        404: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request did not arrive in time (`BAD_REQUEST`). */
        408: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It conflicts with what is stored (`CONFLICT`). */
        409: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large; the message names the limit (`BAD_REQUEST`). */
        413: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Media type or content coding is not accepted (`BAD_REQUEST`). */
        415: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A value is not among the allowed ones, or a meter reading does not fit the stored ones (`UNPROCESSABLE_ENTITY`). */
        422: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description More requests than the client may make, or too much costly work of it at once; the message says which, and how many seconds to wait (`TOO_MANY_REQUESTS`). */
        429: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                "Retry-After": components["headers"]["retryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A defect of the service (`INTERNAL_SERVER_ERROR`). */
        500: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["rateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Busy, restarting or without its database; try again (`INTERNAL_SERVER_ERROR`). */
        503: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "X-API-Version": components["headers"]["version"];
                "Retry-After": components["headers"]["retryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description The `next_page` of the page before; leave it out for the first one. */
        cursor: string;
        /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
        idempotencyKey: string;
        /** @description The `ETag` of the answer that the caller has; a list of them, or `*`. */
        ifNoneMatch: string;
        /** @description Items per page. */
        limit: number;
        /**
         * @description The version for this request; without it the one that the token was issued for.
         * @example 2026-09-08.gauss
         */
        version: "2025-12-01.chucky" | "2025-12-16.batman" | "2026-01-29.edison" | "2026-05-27.curie" | "2026-09-08.gauss";
    };
    requestBodies: never;
    headers: {
        /** @description `private` with the seconds for which the caller may keep the answer in `max-age`, or `no-store` where no cache may. */
        cacheControl: string;
        /** @description Names this answer: sent back as `If-None-Match` it is answered 304 while nothing changed. */
        etag: string;
        /** @description The licences of the data, as `rel="license"`. */
        license: string;
        /** @description Requests that the client may make at once. Absent while processes count by themselves. */
        rateLimitLimit: number;
        /** @description Requests that are left of them now. */
        rateLimitRemaining: number;
        /** @description Seconds until all of them are there again. */
        rateLimitReset: number;
        /** @description `true` when the answer is that of an earlier request with the same `Idempotency-Key`. */
        replayed: "true";
        /** @description The id of this request. */
        requestId: string;
        /** @description Seconds after which the same request may be sent again. */
        retryAfter: number;
        /** @description The version that this answer speaks. */
        version: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postOauthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            /** @description The request, the grant type, the scope or the code is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Unknown client, wrong secret, or a refresh token that does not work any more. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body has a content coding. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Too many requests, or too many wrong secrets (`slow_down`). */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "Retry-After": components["headers"]["retryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description A defect of the service. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Busy, restarting or without its database; try again. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "Retry-After": components["headers"]["retryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
    postOauthRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenQuestion"];
                "application/json": components["schemas"]["TokenQuestion"];
            };
        };
        responses: {
            /** @description It does not work any more, or never did; no body. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request, the grant type, the scope or the code is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Unknown client, wrong secret, or a refresh token that does not work any more. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body has a content coding. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Too many requests, or too many wrong secrets (`slow_down`). */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "Retry-After": components["headers"]["retryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description A defect of the service. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Busy, restarting or without its database; try again. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "Retry-After": components["headers"]["retryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
    postOauthIntrospect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenQuestion"];
                "application/json": components["schemas"]["TokenQuestion"];
            };
        };
        responses: {
            /** @description What is known of it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Introspection"];
                };
            };
            /** @description The request, the grant type, the scope or the code is not valid. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Unknown client, wrong secret, or a refresh token that does not work any more. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The body has a content coding. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Too many requests, or too many wrong secrets (`slow_down`). */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "Retry-After": components["headers"]["retryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description A defect of the service. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Busy, restarting or without its database; try again. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "Retry-After": components["headers"]["retryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
    getCustomers: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[email][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[email][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[email][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[email][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[email][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[email][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[email][ends_with]"?: string;
                /** @description Equal to the value. */
                "filter[type][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[type][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[type][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[type][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[type][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[type][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[type][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "customer",
                     *           "id": "cus_jule0brandt0hamburg02601",
                     *           "type": "person",
                     *           "first_name": "Jule",
                     *           "last_name": "Brandt",
                     *           "email": "jule.brandt@example.org",
                     *           "vat_id": null,
                     *           "created_at": "2026-10-05T08:40:12.345Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["Customer"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getCustomersId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "customer",
                     *       "id": "cus_jule0brandt0hamburg02601",
                     *       "type": "person",
                     *       "first_name": "Jule",
                     *       "last_name": "Brandt",
                     *       "email": "jule.brandt@example.org",
                     *       "vat_id": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Customer"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    patchCustomersId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "last_name": "Brandt-Voss"
                 *     }
                 */
                "application/json": {
                    /** @description First name; of a company that of its contact */
                    first_name?: string;
                    /** @description Last name; of a company that of its contact */
                    last_name?: string;
                    /** @description Of companies only */
                    company_name?: string;
                    /** @description Cannot change: refused with another value than the stored one */
                    readonly object?: unknown;
                    /** @description Cannot change: refused with another value than the stored one */
                    readonly id?: unknown;
                    /** @description Cannot change: refused with another value than the stored one */
                    readonly type?: unknown;
                    /** @description Cannot change: refused with another value than the stored one */
                    readonly email?: unknown;
                    /** @description Cannot change: refused with another value than the stored one */
                    readonly vat_id?: unknown;
                    /** @description Cannot change: refused with another value than the stored one */
                    readonly created_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "customer",
                     *       "id": "cus_jule0brandt0hamburg02601",
                     *       "type": "person",
                     *       "first_name": "Jule",
                     *       "last_name": "Brandt-Voss",
                     *       "email": "jule.brandt@example.org",
                     *       "vat_id": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Customer"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getSubscriptions: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[status][eq]"?: "pending" | "active" | "ended";
                /** @description Different from the value; null does not match. */
                "filter[status][ne]"?: "pending" | "active" | "ended";
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[status][in]"?: string;
                /** @description Equal to the value. */
                "filter[customer][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[customer][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[customer][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[customer][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[customer][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[customer][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[customer][ends_with]"?: string;
                /** @description Equal to the value. */
                "filter[plan][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[plan][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[plan][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[plan][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[plan][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[plan][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[plan][ends_with]"?: string;
                /** @description Equal to the value. */
                "filter[household][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[household][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[household][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[household][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[household][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[household][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[household][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[updated_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[updated_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[updated_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "subscription",
                     *           "id": "sub_jule0brandt0strom0000001",
                     *           "plan": "pln_strom0dynamisch000000001",
                     *           "household": "dom_lindenallee0hamburg00007",
                     *           "number": "K7P2M9QX",
                     *           "status": "pending",
                     *           "type": "consumption",
                     *           "estimated_usage": 3200,
                     *           "start_at": null,
                     *           "terminated_at": null,
                     *           "end_at": null,
                     *           "metadata": {
                     *             "crm": "A-1182"
                     *           },
                     *           "created_at": "2026-10-05T08:40:12.345Z",
                     *           "updated_at": "2026-10-05T08:40:12.345Z",
                     *           "customer": "cus_jule0brandt0hamburg02601",
                     *           "address": "adr_lindenallee0hamburg00007",
                     *           "billing_address": "adr_lindenallee0invoices0007",
                     *           "meter": "mtr_lindenallee0meter0000001",
                     *           "payment_method": "pm_jule0brandt0sepa00000001",
                     *           "supplier": "mp_stadtwerke0musterstadt01"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["SubscriptionListItem"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postSubscriptions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan": "pln_strom0dynamisch000000001",
                 *       "customer": {
                 *         "type": "person",
                 *         "first_name": "Jule",
                 *         "last_name": "Brandt",
                 *         "email": "jule.brandt@example.org"
                 *       },
                 *       "address": {
                 *         "street": "Lindenallee",
                 *         "house_number": "7a",
                 *         "zip": "20357",
                 *         "city": "Hamburg"
                 *       },
                 *       "meter": {
                 *         "number": "1EMH0087654321",
                 *         "type": "analog",
                 *         "estimated_usage": 3200,
                 *         "malo": "50123456789"
                 *       },
                 *       "payment_method": {
                 *         "type": "sepa_debit",
                 *         "sepa_debit": {
                 *           "iban": "DE89370400440532013000",
                 *           "account_holder": "Jule Brandt"
                 *         }
                 *       },
                 *       "next_possible_start": true,
                 *       "previous_supplier": "mp_stadtwerke0musterstadt01",
                 *       "product_orders": [
                 *         {
                 *           "type": "smart-meter"
                 *         }
                 *       ],
                 *       "metadata": {
                 *         "crm": "A-1182"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the plan */
                    plan: string;
                    /** @description Id of a customer, or a person or company who becomes one */
                    customer: string | {
                        /** @description First name; of a company that of its contact */
                        first_name: string;
                        /** @description Last name; of a company that of its contact */
                        last_name: string;
                        /**
                         * Format: email
                         * @description E-mail address: one customer of the organization for each, whatever its case
                         */
                        email: string;
                        /** @description Tax number or VAT identification number; a company that feeds in needs one */
                        vat_id?: string | null;
                        /**
                         * @description Also where it is absent
                         * @constant
                         */
                        type?: "person";
                    } | {
                        /** @description First name; of a company that of its contact */
                        first_name: string;
                        /** @description Last name; of a company that of its contact */
                        last_name: string;
                        /**
                         * Format: email
                         * @description E-mail address: one customer of the organization for each, whatever its case
                         */
                        email: string;
                        /** @description Tax number or VAT identification number; a company that feeds in needs one */
                        vat_id?: string | null;
                        /**
                         * @description A company, with a contact
                         * @constant
                         */
                        type: "company";
                        /** @description Name of the company */
                        company_name: string;
                    };
                    /** @description Delivery address; the billing address begins as a copy */
                    address: {
                        /** @description Street without the number */
                        street: string;
                        /** @description Number with its additions: `7a` */
                        house_number: string;
                        /** @description Postal code, five digits */
                        zip: string;
                        /** @description City or municipality */
                        city: string;
                    };
                    /** @description The meter of the place */
                    meter: {
                        /** @description Kept in upper case, without blanks */
                        number: string;
                        /**
                         * @description `smart`: it sends quarter hours; `analog`: somebody reads it
                         * @enum {string}
                         */
                        type: "smart" | "analog";
                        /** @description kWh a year; for feed-in the expected feed-in */
                        estimated_usage: number;
                        /** @description Market location, 11 digits; anything else is not kept */
                        malo?: string | null;
                    };
                    /** @description How the contract is paid */
                    payment_method: {
                        /**
                         * @description SEPA direct debit
                         * @constant
                         */
                        type: "sepa_debit";
                        /** @description The account that is debited; the sign-up is its mandate */
                        sepa_debit: {
                            /** @description IBAN without blanks */
                            iban: string;
                            /** @description Whose account it is */
                            account_holder: string;
                        };
                    };
                    /** @description `true`: the earliest date; `intended_start_date` is then ignored */
                    next_possible_start: boolean;
                    /**
                     * Format: date
                     * @description Berlin calendar; absent: the earliest date
                     */
                    intended_start_date?: string;
                    /** @description Id of a market partner; left out for a move-in, ignored on feed-in */
                    previous_supplier?: string;
                    /** @description Id of the lead that this sign-up converts */
                    lead?: string;
                    /** @description Id of the household that the contract joins */
                    household?: string;
                    /** @description What is ordered with the contract */
                    product_orders?: ({
                        /**
                         * @description Orders a smart meter; the plan decides which
                         * @constant
                         */
                        type: "smart-meter";
                    } | {
                        /**
                         * @description Orders reductions of the grid fee (§14a EnWG)
                         * @constant
                         */
                        type: "14a_enwg";
                        /**
                         * @description Which modules
                         * @default {
                         *       "module_1": false,
                         *       "module_2": false,
                         *       "module_3": false
                         *     }
                         */
                        "14a_enwg"?: {
                            /**
                             * @description Flat reduction of the grid fee
                             * @default false
                             */
                            module_1?: boolean;
                            /**
                             * @description Reduction in percent; not with 1 or 3
                             * @default false
                             */
                            module_2?: boolean;
                            /**
                             * @description Time-variable grid fee; needs module 1
                             * @default false
                             */
                            module_3?: boolean;
                        };
                    })[];
                    /** @description Values of your own, kept with the contract and shown again */
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "subscription",
                     *       "id": "sub_jule0brandt0strom0000001",
                     *       "plan": "pln_strom0dynamisch000000001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "number": "K7P2M9QX",
                     *       "status": "pending",
                     *       "type": "consumption",
                     *       "estimated_usage": 3200,
                     *       "start_at": null,
                     *       "terminated_at": null,
                     *       "end_at": null,
                     *       "metadata": {
                     *         "crm": "A-1182"
                     *       },
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-05T08:40:12.345Z",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "address": "adr_lindenallee0hamburg00007",
                     *       "billing_address": "adr_lindenallee0invoices0007",
                     *       "meter": "mtr_lindenallee0meter0000001",
                     *       "payment_method": "pm_jule0brandt0sepa00000001",
                     *       "supplier": "mp_stadtwerke0musterstadt01"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionListItem"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getSubscriptionsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "subscription",
                     *       "id": "sub_jule0brandt0strom0000001",
                     *       "plan": "pln_strom0dynamisch000000001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "number": "K7P2M9QX",
                     *       "status": "active",
                     *       "type": "consumption",
                     *       "estimated_usage": 3200,
                     *       "start_at": "2026-10-31T23:00:00.000Z",
                     *       "terminated_at": null,
                     *       "end_at": null,
                     *       "metadata": {
                     *         "crm": "A-1182"
                     *       },
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-31T23:00:03.120Z",
                     *       "customer": {
                     *         "object": "customer",
                     *         "id": "cus_jule0brandt0hamburg02601",
                     *         "type": "person",
                     *         "first_name": "Jule",
                     *         "last_name": "Brandt",
                     *         "email": "jule.brandt@example.org",
                     *         "vat_id": null,
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "address": {
                     *         "object": "address",
                     *         "id": "adr_lindenallee0hamburg00007",
                     *         "street": "Lindenallee",
                     *         "house_number": "7a",
                     *         "zip": "20357",
                     *         "city": "Hamburg",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "billing_address": {
                     *         "object": "address",
                     *         "id": "adr_lindenallee0invoices0007",
                     *         "street": "Lindenallee",
                     *         "house_number": "7a",
                     *         "zip": "20357",
                     *         "city": "Hamburg",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "meter": {
                     *         "object": "meter",
                     *         "id": "mtr_lindenallee0meter0000001",
                     *         "number": "1EMH0087654321",
                     *         "type": "analog",
                     *         "melo": "DE00056266802AO6G56M11SN51G21M24S",
                     *         "malo": "50123456789",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "payment_method": {
                     *         "object": "payment_method",
                     *         "id": "pm_jule0brandt0sepa00000001",
                     *         "type": "sepa_debit",
                     *         "sepa_debit": {
                     *           "iban": "DE****************3000",
                     *           "account_holder": "Jule Brandt"
                     *         },
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "supplier": {
                     *         "object": "supplier",
                     *         "id": "mp_stadtwerke0musterstadt01",
                     *         "name": "Stadtwerke Musterstadt",
                     *         "country": "DE",
                     *         "created_at": "2026-01-02T08:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    patchSubscriptionsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "metadata": {
                 *         "region": "north"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description All four fields. The address keeps its id; the delivery address never changes */
                    billing_address?: {
                        /** @description Street without the number */
                        street: string;
                        /** @description Number with its additions: `7a` */
                        house_number: string;
                        /** @description Postal code, five digits */
                        zip: string;
                        /** @description City or municipality */
                        city: string;
                    };
                    /** @description Replaces the current one, with a new id. Open bills are debited from the new account, those too that name the old one: tell the customer */
                    payment_method?: {
                        /**
                         * @description SEPA direct debit
                         * @constant
                         */
                        type: "sepa_debit";
                        /** @description The account that is debited; another one is another mandate */
                        sepa_debit: {
                            /** @description IBAN without blanks; masked as it is shown, the account stays */
                            iban: string;
                            /** @description Whose account it is */
                            account_holder: string;
                        };
                    };
                    /** @description Merged by key; a key with `null` is removed, `null` removes all of them */
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "subscription",
                     *       "id": "sub_jule0brandt0strom0000001",
                     *       "plan": "pln_strom0dynamisch000000001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "number": "K7P2M9QX",
                     *       "status": "active",
                     *       "type": "consumption",
                     *       "estimated_usage": 3200,
                     *       "start_at": "2026-10-31T23:00:00.000Z",
                     *       "terminated_at": null,
                     *       "end_at": null,
                     *       "metadata": {
                     *         "crm": "A-1182",
                     *         "region": "north"
                     *       },
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-31T23:00:03.120Z",
                     *       "customer": {
                     *         "object": "customer",
                     *         "id": "cus_jule0brandt0hamburg02601",
                     *         "type": "person",
                     *         "first_name": "Jule",
                     *         "last_name": "Brandt",
                     *         "email": "jule.brandt@example.org",
                     *         "vat_id": null,
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "address": {
                     *         "object": "address",
                     *         "id": "adr_lindenallee0hamburg00007",
                     *         "street": "Lindenallee",
                     *         "house_number": "7a",
                     *         "zip": "20357",
                     *         "city": "Hamburg",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "billing_address": {
                     *         "object": "address",
                     *         "id": "adr_lindenallee0invoices0007",
                     *         "street": "Lindenallee",
                     *         "house_number": "7a",
                     *         "zip": "20357",
                     *         "city": "Hamburg",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "meter": {
                     *         "object": "meter",
                     *         "id": "mtr_lindenallee0meter0000001",
                     *         "number": "1EMH0087654321",
                     *         "type": "analog",
                     *         "melo": "DE00056266802AO6G56M11SN51G21M24S",
                     *         "malo": "50123456789",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "payment_method": {
                     *         "object": "payment_method",
                     *         "id": "pm_jule0brandt0sepa00000001",
                     *         "type": "sepa_debit",
                     *         "sepa_debit": {
                     *           "iban": "DE****************3000",
                     *           "account_holder": "Jule Brandt"
                     *         },
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "supplier": {
                     *         "object": "supplier",
                     *         "id": "mp_stadtwerke0musterstadt01",
                     *         "name": "Stadtwerke Musterstadt",
                     *         "country": "DE",
                     *         "created_at": "2026-01-02T08:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postSubscriptionsIdTerminate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "ORDINARY",
                 *       "intended_end_at": "2026-12-31T23:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description With the notice of the contract
                     * @constant
                     */
                    reason: "ORDINARY";
                    /**
                     * Format: date-time
                     * @description End of supply, exclusive: 00:00 in Berlin, in any notation; the earliest possible one where absent
                     */
                    intended_end_at?: string;
                } | {
                    /**
                     * @description The customer leaves the place
                     * @constant
                     */
                    reason: "MOVE_OUT";
                    /**
                     * Format: date-time
                     * @description End of supply, exclusive: 00:00 in Berlin, in any notation
                     */
                    intended_end_at: string;
                } | {
                    /**
                     * @description Until 14 days after the confirmation (§355 BGB)
                     * @constant
                     */
                    reason: "WITHDRAWAL";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reason": "ORDINARY",
                     *       "intended_end_at": "2027-01-01T00:00:00+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Termination"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getGridFeeReductions: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[status][eq]"?: "intended" | "ordered" | "activated" | "rejected" | "ended";
                /** @description Different from the value; null does not match. */
                "filter[status][ne]"?: "intended" | "ordered" | "activated" | "rejected" | "ended";
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[status][in]"?: string;
                /** @description Equal to the value. */
                "filter[customer][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[customer][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[customer][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[customer][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[customer][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[customer][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[customer][ends_with]"?: string;
                /** @description Equal to the value. */
                "filter[subscription][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[subscription][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[subscription][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[subscription][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[subscription][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[subscription][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[subscription][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[updated_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[updated_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[updated_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "grid_fee_reduction",
                     *           "id": "gfr_lindenallee0module10001",
                     *           "customer": "cus_jule0brandt0hamburg02601",
                     *           "subscription": "sub_jule0brandt0strom0000001",
                     *           "type": "enwg-14a-module-1",
                     *           "status": "activated",
                     *           "valid_from": "2026-11-30T23:00:00.000Z",
                     *           "valid_until": null,
                     *           "created_at": "2026-11-09T10:12:44.018Z",
                     *           "updated_at": "2026-11-23T08:02:31.550Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["GridFeeReduction"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postGridFeeReductions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subscription": "sub_jule0brandt0strom0000001",
                 *       "type": "enwg-14a-module-1"
                 *     }
                 */
                "application/json": {
                    /** @description Id of the subscription */
                    subscription: string;
                    /**
                     * @description Module of section 14a EnWG: 1 a credit by the year, 2 a lower working price for a device with a meter of its own, 3 prices by the clock
                     * @enum {string}
                     */
                    type: "enwg-14a-module-1" | "enwg-14a-module-2" | "enwg-14a-module-3";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "grid_fee_reduction",
                     *       "id": "gfr_lindenallee0module10001",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "subscription": "sub_jule0brandt0strom0000001",
                     *       "type": "enwg-14a-module-1",
                     *       "status": "ordered",
                     *       "valid_from": null,
                     *       "valid_until": null,
                     *       "created_at": "2026-11-09T10:12:44.018Z",
                     *       "updated_at": "2026-11-09T10:12:44.018Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GridFeeReduction"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getGridFeeReductionsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "grid_fee_reduction",
                     *       "id": "gfr_lindenallee0module10001",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "subscription": "sub_jule0brandt0strom0000001",
                     *       "type": "enwg-14a-module-1",
                     *       "status": "activated",
                     *       "valid_from": "2026-11-30T23:00:00.000Z",
                     *       "valid_until": null,
                     *       "created_at": "2026-11-09T10:12:44.018Z",
                     *       "updated_at": "2026-11-23T08:02:31.550Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GridFeeReduction"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getMeterOrders: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[customer][eq]"?: string;
                /** @description Equal to the value. */
                "filter[subscription][eq]"?: string;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "meter_order",
                     *           "id": "prdo_lindenallee0smart000001",
                     *           "subscription": "sub_jule0brandt0strom0000001",
                     *           "customer": "cus_jule0brandt0hamburg02601",
                     *           "provider": "partner-b",
                     *           "status": "scheduled",
                     *           "appointment_at": "2026-11-24T09:00:00.000Z",
                     *           "installed_at": null,
                     *           "activated_at": null,
                     *           "cancelled_at": null,
                     *           "cancelled_reason": null,
                     *           "blocked_at": null,
                     *           "blocked_reason": null,
                     *           "created_at": "2026-10-05T08:40:12.345Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["MeterOrder"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postMeterOrders: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subscription": "sub_jule0brandt0strom0000001"
                 *     }
                 */
                "application/json": {
                    /** @description Id of the subscription; its plan decides which meter is ordered */
                    subscription: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "meter_order",
                     *       "id": "prdo_lindenallee0smart000001",
                     *       "subscription": "sub_jule0brandt0strom0000001",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "provider": "partner-b",
                     *       "status": "created",
                     *       "appointment_at": null,
                     *       "installed_at": null,
                     *       "activated_at": null,
                     *       "cancelled_at": null,
                     *       "cancelled_reason": null,
                     *       "blocked_at": null,
                     *       "blocked_reason": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MeterOrder"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getMeterOrdersId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "meter_order",
                     *       "id": "prdo_lindenallee0smart000001",
                     *       "subscription": "sub_jule0brandt0strom0000001",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "provider": "partner-b",
                     *       "status": "scheduled",
                     *       "appointment_at": "2026-11-24T09:00:00.000Z",
                     *       "installed_at": null,
                     *       "activated_at": null,
                     *       "cancelled_at": null,
                     *       "cancelled_reason": null,
                     *       "blocked_at": null,
                     *       "blocked_reason": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MeterOrder"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getMeterReadings: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[type][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[type][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[type][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[type][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[type][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[type][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[type][ends_with]"?: string;
                /** @description Equal to the value. */
                "filter[subscription][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[subscription][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[subscription][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[subscription][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[subscription][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[subscription][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[subscription][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "meter_reading",
                     *           "id": "mr_lindenallee0reading00001",
                     *           "customer": "cus_jule0brandt0hamburg02601",
                     *           "subscription": "sub_jule0brandt0strom0000001",
                     *           "meter": "mtr_lindenallee0meter0000001",
                     *           "value": 18342.7,
                     *           "timestamp": "2026-12-30T23:00:00.000Z",
                     *           "type": "customer_report",
                     *           "created_at": "2026-12-31T14:21:07.902Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["MeterReading"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postMeterReadings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subscription": "sub_jule0brandt0strom0000001",
                 *       "value": 18342.7,
                 *       "timestamp": "2026-12-31T14:20:00Z",
                 *       "message": "Read twice"
                 *     }
                 */
                "application/json": {
                    /** @description Id of the subscription */
                    subscription: string;
                    /** @description Cumulative kWh, as the meter shows them */
                    value: number;
                    /**
                     * Format: date-time
                     * @description When it was read; moved to the start of its day in Berlin
                     */
                    timestamp: string;
                    /** @description Kept for your staff, not shown again */
                    message?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "meter_reading",
                     *       "id": "mr_lindenallee0reading00001",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "subscription": "sub_jule0brandt0strom0000001",
                     *       "meter": "mtr_lindenallee0meter0000001",
                     *       "value": 18342.7,
                     *       "timestamp": "2026-12-30T23:00:00.000Z",
                     *       "type": "customer_report",
                     *       "created_at": "2026-12-31T14:21:07.902Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MeterReading"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getSubscriptionsIdUsage: {
        parameters: {
            query?: {
                /** @description `auto`: `15min` up to 2 days, `hour` up to 7, `day` up to 62, `week` up to 366, then `month`. Analog meters give `month`, whatever is asked for */
                resolution?: "auto" | "15min" | "hour" | "day" | "week" | "month";
                /** @description First day, Europe/Berlin. Where absent: of a smart meter yesterday, of an analog one the later of the start of supply and 12 months ago */
                start?: string;
                /** @description The day behind the last one. Where absent: of a smart meter today, of an analog one the day of the latest reading */
                end?: string;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "usage",
                     *       "meter_type": "analog",
                     *       "resolution": "month",
                     *       "data": [
                     *         {
                     *           "start": "2026-10-31T23:00:00Z",
                     *           "usage": 281.4071,
                     *           "type": "final"
                     *         },
                     *         {
                     *           "start": "2026-11-30T23:00:00Z",
                     *           "usage": 312.9,
                     *           "type": "preliminary"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getInvoices: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[status][eq]"?: "open" | "paid" | "uncollectible" | "voided";
                /** @description Different from the value; null does not match. */
                "filter[status][ne]"?: "open" | "paid" | "uncollectible" | "voided";
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[status][in]"?: string;
                /** @description Equal to the value. */
                "filter[type][eq]"?: "usage" | "prepayment" | "void" | "exit_summary";
                /** @description Different from the value; null does not match. */
                "filter[type][ne]"?: "usage" | "prepayment" | "void" | "exit_summary";
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[type][in]"?: string;
                /** @description Equal to the value. */
                "filter[subscription][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[subscription][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[subscription][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[subscription][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[subscription][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[subscription][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[subscription][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[period_start][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[period_start][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[period_start][is_null]"?: boolean;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[period_end][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[period_end][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[period_end][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "invoice",
                     *           "id": "inv_jule0brandt0january00002",
                     *           "type": "usage",
                     *           "customer": "cus_jule0brandt0hamburg02601",
                     *           "subscription": "sub_jule0brandt0strom0000001",
                     *           "invoice_number": "K7P2M9QX-002",
                     *           "month": 1,
                     *           "year": 2027,
                     *           "period_start": "2026-12-31T23:00:00.000Z",
                     *           "period_end": "2027-01-31T23:00:00.000Z",
                     *           "period_number": 2,
                     *           "status": "paid",
                     *           "usage": 447.9,
                     *           "total": 128.51,
                     *           "issued_at": "2027-02-11T07:00:00.000Z",
                     *           "paid_at": "2027-02-25T09:40:00.000Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["Invoice"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getInvoicesId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "invoice",
                     *       "id": "inv_jule0brandt0january00002",
                     *       "type": "usage",
                     *       "customer": "cus_jule0brandt0hamburg02601",
                     *       "subscription": "sub_jule0brandt0strom0000001",
                     *       "invoice_number": "K7P2M9QX-002",
                     *       "month": 1,
                     *       "year": 2027,
                     *       "period_start": "2026-12-31T23:00:00.000Z",
                     *       "period_end": "2027-01-31T23:00:00.000Z",
                     *       "period_number": 2,
                     *       "status": "paid",
                     *       "usage": 447.9,
                     *       "total": 128.51,
                     *       "issued_at": "2027-02-11T07:00:00.000Z",
                     *       "paid_at": "2027-02-25T09:40:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getInvoicesIdFile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success; no body. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    /** @description Address of the PDF; valid for one hour */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getSubscriptionsIdPrices: {
        parameters: {
            query: {
                /** @description First day, inclusive, Europe/Berlin */
                start: string;
                /** @description Last day, inclusive; at most 366 days from `start` */
                end: string;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description The `ETag` of the answer that the caller has; a list of them, or `*`. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    ETag: components["headers"]["etag"];
                    "Cache-Control": components["headers"]["cacheControl"];
                    Link: components["headers"]["license"];
                    /** @description Of CSV only: that it is a file, and its name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "price",
                     *       "subscription": "sub_hpn0t2xj6da49lilr812vg1h",
                     *       "period": {
                     *         "start": "2026-11-20",
                     *         "end": "2026-11-20"
                     *       },
                     *       "currency": "EUR",
                     *       "unit": "ct/kWh",
                     *       "resolution": "15min",
                     *       "reference": "EPEX Day-Ahead 15min",
                     *       "items": [
                     *         {
                     *           "timestamp": "2026-11-19T23:00:00Z",
                     *           "amount": 30.66154,
                     *           "components": [
                     *             {
                     *               "type": "electricity",
                     *               "amount": 12.9948
                     *             },
                     *             {
                     *               "type": "grid",
                     *               "amount": 8.8774
                     *             },
                     *             {
                     *               "type": "levies",
                     *               "amount": 8.78934
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "timestamp": "2026-11-19T23:15:00Z",
                     *           "amount": null,
                     *           "components": [
                     *             {
                     *               "type": "electricity",
                     *               "amount": null
                     *             },
                     *             {
                     *               "type": "grid",
                     *               "amount": 8.8774
                     *             },
                     *             {
                     *               "type": "levies",
                     *               "amount": 8.78934
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionPrices"];
                    /**
                     * @example timestamp,amount_ct_kwh,electricity_ct_kwh,grid_ct_kwh,levies_ct_kwh
                     *     2026-11-19T23:00:00Z,30.66154,12.9948,8.8774,8.78934
                     *     2026-11-19T23:15:00Z,,,8.8774,8.78934
                     */
                    "text/csv": string;
                };
            };
            /** @description The caller has it already; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    ETag: components["headers"]["etag"];
                    "Cache-Control": components["headers"]["cacheControl"];
                    Link: components["headers"]["license"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getPlans: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[status][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[status][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[status][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[status][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[status][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[status][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[status][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "plan",
                     *           "id": "pln_strom0dynamisch000000001",
                     *           "name": "Strom Dynamisch",
                     *           "slug": "strom-dynamisch",
                     *           "description": "The price of the exchange, quarter hour by quarter hour",
                     *           "type": "consumption",
                     *           "price": 7.14,
                     *           "currency": "EUR",
                     *           "created_at": "2026-06-01T08:00:00.000Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["Plan"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getPlansId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "plan",
                     *       "id": "pln_strom0dynamisch000000001",
                     *       "name": "Strom Dynamisch",
                     *       "slug": "strom-dynamisch",
                     *       "description": "The price of the exchange, quarter hour by quarter hour",
                     *       "type": "consumption",
                     *       "price": 7.14,
                     *       "currency": "EUR",
                     *       "created_at": "2026-06-01T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postPlansIdQuote: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "zip_code": "10115",
                 *       "usage": {
                 *         "consumption": 2500
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Place of supply */
                    zip_code: string;
                    /** @description What would be used or fed in */
                    usage: {
                        /** @description kWh per year; feed-in plans: fed in */
                        consumption: number;
                    };
                    /** @description Share of the energy price that shifting of load saves. Where absent that of the plan counts; above 0 a smart meter is priced, else an analog one. No effect on feed-in plans */
                    optimization_rate?: number;
                    /** @description Reductions of §14a EnWG; of consumption plans only, whatever it holds */
                    grid_fee_reductions?: {
                        /**
                         * @description Flat yearly credit for controllable devices
                         * @default false
                         */
                        "14a_module_1"?: boolean;
                        /**
                         * @description Reduced price per kWh at a metering point of its own; not with module 1
                         * @default false
                         */
                        "14a_module_2"?: boolean;
                        /**
                         * @description Price per kWh by time of day, here as its mean; needs module 1
                         * @default false
                         */
                        "14a_module_3"?: boolean;
                    };
                    /**
                     * @description Feed-in plans: the customer is a small business (§19 UStG) and gets credits without VAT; no effect on others
                     * @default false
                     */
                    is_tax_exempt?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    /** @description Only where the mean of the day-ahead prices is not made of market prices, as in a demo: `rel="license"` with a `title` that says so; and where a price list of the new year is late: `rel="describedby"` with a `title` that names the tables whose rows have ended and are carried forward. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "quote",
                     *       "amount": 72.96,
                     *       "currency": "EUR",
                     *       "resolution": "month",
                     *       "components": [
                     *         {
                     *           "group": "base",
                     *           "amount": 11.76,
                     *           "quantity": 1,
                     *           "quantity_unit": "month",
                     *           "unit_amount": 11.7582,
                     *           "subcomponents": [
                     *             {
                     *               "subgroup": "fee",
                     *               "name": "Grundgebühr",
                     *               "amount": 5.95
                     *             },
                     *             {
                     *               "subgroup": "grid",
                     *               "name": "Netzentgelte",
                     *               "amount": 3.3082
                     *             },
                     *             {
                     *               "subgroup": "metering",
                     *               "name": "Messstellengebühren",
                     *               "amount": 2.5
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "group": "variable",
                     *           "amount": 61.2,
                     *           "quantity": 208.3333,
                     *           "quantity_unit": "kWh",
                     *           "unit_amount": 0.293749,
                     *           "subcomponents": [
                     *             {
                     *               "subgroup": "energy",
                     *               "name": "EPEX Day-Ahead Preis (12m avg.)",
                     *               "amount": 0.106291
                     *             },
                     *             {
                     *               "subgroup": "optimization",
                     *               "name": "Optimierung (Lastverschiebung)",
                     *               "amount": -0.010629
                     *             },
                     *             {
                     *               "subgroup": "fee",
                     *               "name": "Beschaffung",
                     *               "amount": 0.02142
                     *             },
                     *             {
                     *               "subgroup": "grid",
                     *               "name": "Netzentgelte",
                     *               "amount": 0.088774
                     *             },
                     *             {
                     *               "subgroup": "levies",
                     *               "name": "Konzessionsabgabe",
                     *               "amount": 0.028441
                     *             },
                     *             {
                     *               "subgroup": "levies",
                     *               "name": "Stromsteuer",
                     *               "amount": 0.024395
                     *             },
                     *             {
                     *               "subgroup": "levies",
                     *               "name": "Offshore-Netzumlage",
                     *               "amount": 0.011198
                     *             },
                     *             {
                     *               "subgroup": "levies",
                     *               "name": "Aufschlag für besondere Netznutzung",
                     *               "amount": 0.018552
                     *             },
                     *             {
                     *               "subgroup": "levies",
                     *               "name": "KWKG-Umlage",
                     *               "amount": 0.005307
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "quoted_at": "2026-11-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Quote"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postPlansIdSavings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "zip_code": "45468",
                 *       "household": {
                 *         "usage": 3500
                 *       },
                 *       "assets": {
                 *         "ev": {
                 *           "distance": 12000
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Where the electricity is delivered */
                    zip_code: string;
                    /** @description What the household uses */
                    household: {
                        /** @description kWh a year without the assets */
                        usage: number;
                    };
                    /**
                     * @description What the household has: an asset exists where its object does
                     * @default {}
                     */
                    assets?: {
                        /** @description An electric car */
                        ev?: {
                            /** @description km a year */
                            distance: number;
                            /**
                             * @description Share of the energy charged at home
                             * @default 0.67
                             */
                            home_charging_share?: number;
                        };
                        /** @description A heat pump */
                        heatpump?: {
                            /** @description kWh a year */
                            usage: number;
                        };
                        /** @description A solar plant on the roof */
                        pv?: {
                            /** @description Share of the usage that the plant covers */
                            self_sufficiency: number;
                            /**
                             * @description Peak power in kWp
                             * @default 8
                             */
                            capacity?: number;
                        };
                        /** @description A battery storage */
                        battery?: {
                            /** @description Usable capacity in kWh */
                            capacity: number;
                            /** @description Rated power in kW */
                            power: number;
                        };
                    };
                    /** @description What the household pays now; where absent, the mean of the market */
                    current_tariff?: {
                        /** @description EUR a year with VAT, without the base fees of grid and metering */
                        base_fee: number;
                        /** @description EUR per kWh with VAT, all of it */
                        var_fee: number;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    /** @description Only where the mean of the day-ahead prices is not made of market prices, as in a demo: `rel="license"` with a `title` that says so; and where a price list of the new year is late: `rel="describedby"` with a `title` that names the tables whose rows have ended and are carried forward. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "savings",
                     *       "savings": 397.66,
                     *       "resolution": "year",
                     *       "cost": {
                     *         "before": 1984.8,
                     *         "after": 1587.14
                     *       },
                     *       "usage": {
                     *         "consumption": 4947
                     *       },
                     *       "optimization_rate": 0.1316,
                     *       "grid_fee_reductions": {
                     *         "14a_module_1": true,
                     *         "14a_module_3": true
                     *       },
                     *       "components": [
                     *         {
                     *           "group": "tariff",
                     *           "savings": 163.77,
                     *           "subcomponents": [
                     *             {
                     *               "subgroup": "base",
                     *               "name": "Grundpreis",
                     *               "savings": -60.4
                     *             },
                     *             {
                     *               "subgroup": "variable",
                     *               "name": "Arbeitspreis",
                     *               "savings": 224.17
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "group": "grid_fee_reductions",
                     *           "savings": 164.69,
                     *           "subcomponents": [
                     *             {
                     *               "subgroup": "14a_module_1",
                     *               "name": "Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)",
                     *               "savings": 165.06
                     *             },
                     *             {
                     *               "subgroup": "14a_module_3",
                     *               "name": "Zeitvariables Netzentgelt (§14a EnWG Modul 3)",
                     *               "savings": -0.37
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "group": "optimization",
                     *           "savings": 69.2,
                     *           "subcomponents": [
                     *             {
                     *               "subgroup": "variable",
                     *               "name": "Optimierung (Lastverschiebung)",
                     *               "savings": 69.2
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Savings"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getLeads: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "lead",
                     *           "id": "lead_jule0brandt0autumn000001",
                     *           "link": "https://strom-dynamisch.checkout.example.org/?id=lead_jule0brandt0autumn000001",
                     *           "subscription": null,
                     *           "subscribed_at": null,
                     *           "created_by": "staff@example.org",
                     *           "last_visited_at": null,
                     *           "metadata": {
                     *             "campaign": "autumn"
                     *           },
                     *           "created_at": "2026-10-05T08:40:12.345Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["Lead"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postLeads: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan": "pln_strom0dynamisch000000001",
                 *       "address": {
                 *         "zip": "20357"
                 *       },
                 *       "meter": {
                 *         "estimated_usage": 3200
                 *       },
                 *       "customer": {
                 *         "first_name": "Jule",
                 *         "last_name": "Brandt",
                 *         "email": "jule.brandt@example.org"
                 *       },
                 *       "created_by": "staff@example.org",
                 *       "metadata": {
                 *         "campaign": "autumn"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the plan that is offered */
                    plan: string;
                    /** @description Where electricity would be delivered */
                    address: {
                        /** @description Must be one that is supplied */
                        zip: string;
                        /** @description Street without the number */
                        street?: string | null;
                        /** @description Number with its additions: `7a` */
                        house_number?: string | null;
                        /** @description City or municipality */
                        city?: string | null;
                    };
                    /** @description The meter of the place */
                    meter: {
                        /** @description kWh a year */
                        estimated_usage: number;
                        /** @description `smart`: it sends quarter hours; `analog`: somebody reads it */
                        type?: ("smart" | "analog") | null;
                        /** @description Number on the meter */
                        number?: string | null;
                    };
                    /** @description Who may become a customer */
                    customer?: {
                        /**
                         * @description A natural person, or a company
                         * @default person
                         * @enum {string}
                         */
                        type?: "person" | "company";
                        /** @description First name; of a company that of its contact */
                        first_name?: string;
                        /** @description Last name; of a company that of its contact */
                        last_name?: string;
                        /** @description Of companies */
                        company_name?: string;
                        /**
                         * Format: email
                         * @description E-mail address
                         */
                        email?: string;
                        /** @description Tax number or VAT identification number */
                        vat_id?: string | null;
                    } | null;
                    /** @description How the person would pay */
                    payment_method?: {
                        /**
                         * @description SEPA direct debit
                         * @default sepa_debit
                         * @constant
                         */
                        type?: "sepa_debit";
                        /** @description The account that is debited */
                        sepa_debit?: {
                            /** @description IBAN without blanks */
                            iban?: string | null;
                            /** @description Whose account it is */
                            account_holder?: string | null;
                        };
                    } | null;
                    /** @description Id or name of the supplier until now */
                    previous_supplier?: string | null;
                    /** @description E-mail address of the member of your staff */
                    created_by?: string | null;
                    /** @description `true`: supply is wanted from the earliest date on */
                    next_possible_start?: boolean | null;
                    /** @description First day of supply that is wanted, Berlin calendar */
                    intended_start_date?: string | null;
                    /**
                     * @description Whether another supplier is left, or somebody moves in
                     * @enum {string}
                     */
                    change_reason?: "supplier_change" | "move_in";
                    /** @description Your own texts by name, at most 10240 bytes */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "lead",
                     *       "id": "lead_jule0brandt0autumn000001",
                     *       "link": "https://strom-dynamisch.checkout.example.org/?id=lead_jule0brandt0autumn000001",
                     *       "subscription": null,
                     *       "subscribed_at": null,
                     *       "created_by": "staff@example.org",
                     *       "last_visited_at": null,
                     *       "metadata": {
                     *         "campaign": "autumn"
                     *       },
                     *       "created_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Lead"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getLeadsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "lead",
                     *       "id": "lead_jule0brandt0autumn000001",
                     *       "link": "https://strom-dynamisch.checkout.example.org/?id=lead_jule0brandt0autumn000001",
                     *       "subscription": null,
                     *       "subscribed_at": null,
                     *       "created_by": "staff@example.org",
                     *       "last_visited_at": null,
                     *       "metadata": {
                     *         "campaign": "autumn"
                     *       },
                     *       "created_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Lead"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getMarketPartners: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[name][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[name][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[name][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[name][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[name][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[name][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[name][ends_with]"?: string;
                /** @description Equal to the value. */
                "filter[code][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[code][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[code][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[code][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[code][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[code][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[code][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "market_partner",
                     *           "id": "mp_stadtwerke0musterstadt01",
                     *           "name": "Stadtwerke Musterstadt",
                     *           "country": "DE",
                     *           "created_at": "2026-01-02T08:00:00.000Z",
                     *           "code": "9900000000015",
                     *           "code_type": "BDEW",
                     *           "type": "supplier"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["MarketPartner"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getHouseholds: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[customer][eq]"?: string;
                /** @description Different from the value; null does not match. */
                "filter[customer][ne]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[customer][in]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[customer][is_null]"?: boolean;
                /** @description Contains the text, case ignored. */
                "filter[customer][contains]"?: string;
                /** @description Begins with the text, case ignored. */
                "filter[customer][starts_with]"?: string;
                /** @description Ends with the text, case ignored. */
                "filter[customer][ends_with]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "household",
                     *           "id": "dom_lindenallee0hamburg00007",
                     *           "display_name": null,
                     *           "created_at": "2026-10-05T08:40:12.345Z",
                     *           "updated_at": "2026-10-05T08:40:12.345Z",
                     *           "customer": "cus_jule0brandt0hamburg02601",
                     *           "address": "adr_lindenallee0hamburg00007"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["HouseholdListItem"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getHouseholdsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "household",
                     *       "id": "dom_lindenallee0hamburg00007",
                     *       "display_name": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-05T08:40:12.345Z",
                     *       "customer": {
                     *         "object": "customer",
                     *         "id": "cus_jule0brandt0hamburg02601",
                     *         "type": "person",
                     *         "first_name": "Jule",
                     *         "last_name": "Brandt",
                     *         "email": "jule.brandt@example.org",
                     *         "vat_id": null,
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       },
                     *       "address": {
                     *         "object": "address",
                     *         "id": "adr_lindenallee0hamburg00007",
                     *         "street": "Lindenallee",
                     *         "house_number": "7a",
                     *         "zip": "20357",
                     *         "city": "Hamburg",
                     *         "created_at": "2026-10-05T08:40:12.345Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Household"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getAssets: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[household][eq]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[household][in]"?: string;
                /** @description Equal to the value. */
                "filter[external_id][eq]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[external_id][in]"?: string;
                /** @description Equal to the value. */
                "filter[parent_inverter][eq]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[parent_inverter][in]"?: string;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "asset",
                     *           "id": "ast_lindenallee0battery00001",
                     *           "household": "dom_lindenallee0hamburg00007",
                     *           "type": "battery",
                     *           "external_id": "battery-1",
                     *           "display_name": "Cellar",
                     *           "manufacturer": null,
                     *           "model": null,
                     *           "parent_inverter": "ast_lindenallee0inverter0001",
                     *           "battery": {
                     *             "capacity_kwh": 9.6,
                     *             "max_charge_power_kw": 5,
                     *             "max_discharge_power_kw": 5
                     *           },
                     *           "decommissioned_at": null,
                     *           "created_at": "2026-10-05T08:40:12.345Z",
                     *           "updated_at": "2026-10-05T08:40:12.345Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["Asset"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postAssets: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409. */
                "Idempotency-Key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "household": "dom_lindenallee0hamburg00007",
                 *       "type": "battery",
                 *       "external_id": "battery-1",
                 *       "display_name": "Cellar",
                 *       "parent_inverter": "ast_lindenallee0inverter0001",
                 *       "battery": {
                 *         "capacity_kwh": 9.6,
                 *         "max_charge_power_kw": 5,
                 *         "max_discharge_power_kw": 5
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the household the device belongs to; cannot change */
                    household: string;
                    /** @description The client's own id: unique in the organization, never reused, compared as sent */
                    external_id?: string | null;
                    /** @description Name for people */
                    display_name?: string | null;
                    /** @description Maker of the device */
                    manufacturer?: string | null;
                    /** @description Model of the device */
                    model?: string | null;
                    /**
                     * @description Kind of the device; its data stand under the same name
                     * @constant
                     */
                    type: "inverter";
                    /** @description Id of the inverter this asset is connected to; of solar arrays and batteries only */
                    parent_inverter?: string | null;
                    /** @description Its ratings, against which every snapshot is checked */
                    inverter: {
                        /** @description Rated power, kW */
                        max_power_kw: number;
                        /**
                         * @description Whether batteries are connected behind this inverter
                         * @default false
                         */
                        hybrid?: boolean;
                    };
                } | {
                    /** @description Id of the household the device belongs to; cannot change */
                    household: string;
                    /** @description The client's own id: unique in the organization, never reused, compared as sent */
                    external_id?: string | null;
                    /** @description Name for people */
                    display_name?: string | null;
                    /** @description Maker of the device */
                    manufacturer?: string | null;
                    /** @description Model of the device */
                    model?: string | null;
                    /**
                     * @description Kind of the device; its data stand under the same name
                     * @constant
                     */
                    type: "solar";
                    /** @description Id of the inverter this asset is connected to */
                    parent_inverter: string;
                    /** @description Its ratings, against which every snapshot is checked */
                    solar: {
                        /** @description Peak power of the modules, kW */
                        peak_power_kw: number;
                        /**
                         * @description Direction the modules face, degrees clockwise from north
                         * @default null
                         */
                        azimuth?: number | null;
                        /**
                         * @description Inclination of the modules, degrees from horizontal
                         * @default null
                         */
                        tilt?: number | null;
                    };
                } | {
                    /** @description Id of the household the device belongs to; cannot change */
                    household: string;
                    /** @description The client's own id: unique in the organization, never reused, compared as sent */
                    external_id?: string | null;
                    /** @description Name for people */
                    display_name?: string | null;
                    /** @description Maker of the device */
                    manufacturer?: string | null;
                    /** @description Model of the device */
                    model?: string | null;
                    /**
                     * @description Kind of the device; its data stand under the same name
                     * @constant
                     */
                    type: "battery";
                    /** @description Id of the inverter this asset is connected to; of solar arrays and batteries only */
                    parent_inverter?: string | null;
                    /** @description Its ratings, against which every snapshot is checked */
                    battery: {
                        /** @description Usable capacity, kWh */
                        capacity_kwh: number;
                        /** @description Rated charging power, kW */
                        max_charge_power_kw: number;
                        /** @description Rated discharging power, kW */
                        max_discharge_power_kw: number;
                    };
                } | {
                    /** @description Id of the household the device belongs to; cannot change */
                    household: string;
                    /** @description The client's own id: unique in the organization, never reused, compared as sent */
                    external_id?: string | null;
                    /** @description Name for people */
                    display_name?: string | null;
                    /** @description Maker of the device */
                    manufacturer?: string | null;
                    /** @description Model of the device */
                    model?: string | null;
                    /**
                     * @description Kind of the device; its data stand under the same name
                     * @constant
                     */
                    type: "wallbox";
                    /** @description Id of the inverter this asset is connected to; of solar arrays and batteries only */
                    parent_inverter?: string | null;
                    /** @description Its ratings, against which every snapshot is checked */
                    wallbox: {
                        /** @description Rated charging power, kW */
                        max_power_kw: number;
                        /**
                         * @description Number of connected phases
                         * @default null
                         */
                        phases?: (1 | 3) | null;
                        /**
                         * @description Whether the car can feed back
                         * @default false
                         */
                        bidirectional?: boolean;
                    };
                } | {
                    /** @description Id of the household the device belongs to; cannot change */
                    household: string;
                    /** @description The client's own id: unique in the organization, never reused, compared as sent */
                    external_id?: string | null;
                    /** @description Name for people */
                    display_name?: string | null;
                    /** @description Maker of the device */
                    manufacturer?: string | null;
                    /** @description Model of the device */
                    model?: string | null;
                    /**
                     * @description Kind of the device; its data stand under the same name
                     * @constant
                     */
                    type: "heat_pump";
                    /** @description Id of the inverter this asset is connected to; of solar arrays and batteries only */
                    parent_inverter?: string | null;
                    /** @description Its ratings, against which every snapshot is checked */
                    heat_pump: {
                        /** @description Rated electrical power, kW */
                        max_power_kw: number;
                        /**
                         * @description Rated heat output, kW
                         * @default null
                         */
                        thermal_power_kw?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "asset",
                     *       "id": "ast_lindenallee0battery00001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "type": "battery",
                     *       "external_id": "battery-1",
                     *       "display_name": "Cellar",
                     *       "manufacturer": null,
                     *       "model": null,
                     *       "parent_inverter": "ast_lindenallee0inverter0001",
                     *       "battery": {
                     *         "capacity_kwh": 9.6,
                     *         "max_charge_power_kw": 5,
                     *         "max_discharge_power_kw": 5
                     *       },
                     *       "decommissioned_at": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getAssetsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "asset",
                     *       "id": "ast_lindenallee0battery00001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "type": "battery",
                     *       "external_id": "battery-1",
                     *       "display_name": "Cellar",
                     *       "manufacturer": null,
                     *       "model": null,
                     *       "parent_inverter": "ast_lindenallee0inverter0001",
                     *       "battery": {
                     *         "capacity_kwh": 9.6,
                     *         "max_charge_power_kw": 5,
                     *         "max_discharge_power_kw": 5
                     *       },
                     *       "decommissioned_at": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    patchAssetsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "display_name": "Garage"
                 *     }
                 */
                "application/json": {
                    /** @description The client's own id: unique in the organization, never reused, compared as sent */
                    external_id?: string | null;
                    /** @description Name for people */
                    display_name?: string | null;
                    /** @description Maker of the device */
                    manufacturer?: string | null;
                    /** @description Model of the device */
                    model?: string | null;
                    /** @description Id of the inverter this asset is connected to; of solar arrays and batteries only */
                    parent_inverter?: string | null;
                    /** @description Ratings of an asset of type inverter: what is sent replaces, the rest stays */
                    inverter?: {
                        /** @description Rated power, kW */
                        max_power_kw?: number;
                        /** @description Whether batteries are connected behind this inverter */
                        hybrid?: boolean;
                    };
                    /** @description Ratings of an asset of type solar: what is sent replaces, the rest stays */
                    solar?: {
                        /** @description Peak power of the modules, kW */
                        peak_power_kw?: number;
                        /** @description Direction the modules face, degrees clockwise from north */
                        azimuth?: number | null;
                        /** @description Inclination of the modules, degrees from horizontal */
                        tilt?: number | null;
                    };
                    /** @description Ratings of an asset of type battery: what is sent replaces, the rest stays */
                    battery?: {
                        /** @description Usable capacity, kWh */
                        capacity_kwh?: number;
                        /** @description Rated charging power, kW */
                        max_charge_power_kw?: number;
                        /** @description Rated discharging power, kW */
                        max_discharge_power_kw?: number;
                    };
                    /** @description Ratings of an asset of type wallbox: what is sent replaces, the rest stays */
                    wallbox?: {
                        /** @description Rated charging power, kW */
                        max_power_kw?: number;
                        /** @description Number of connected phases */
                        phases?: (1 | 3) | null;
                        /** @description Whether the car can feed back */
                        bidirectional?: boolean;
                    };
                    /** @description Ratings of an asset of type heat_pump: what is sent replaces, the rest stays */
                    heat_pump?: {
                        /** @description Rated electrical power, kW */
                        max_power_kw?: number;
                        /** @description Rated heat output, kW */
                        thermal_power_kw?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "asset",
                     *       "id": "ast_lindenallee0battery00001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "type": "battery",
                     *       "external_id": "battery-1",
                     *       "display_name": "Garage",
                     *       "manufacturer": null,
                     *       "model": null,
                     *       "parent_inverter": "ast_lindenallee0inverter0001",
                     *       "battery": {
                     *         "capacity_kwh": 9.6,
                     *         "max_charge_power_kw": 5,
                     *         "max_discharge_power_kw": 5
                     *       },
                     *       "decommissioned_at": null,
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postAssetsIdDecommission: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "decommissioned_at": "2026-11-20T09:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When the device stopped; now where absent, never in the future
                     */
                    decommissioned_at?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "asset",
                     *       "id": "ast_lindenallee0battery00001",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "type": "battery",
                     *       "external_id": "battery-1",
                     *       "display_name": "Cellar",
                     *       "manufacturer": null,
                     *       "model": null,
                     *       "parent_inverter": "ast_lindenallee0inverter0001",
                     *       "battery": {
                     *         "capacity_kwh": 9.6,
                     *         "max_charge_power_kw": 5,
                     *         "max_discharge_power_kw": 5
                     *       },
                     *       "decommissioned_at": "2026-11-20T09:00:00.000Z",
                     *       "created_at": "2026-10-05T08:40:12.345Z",
                     *       "updated_at": "2026-10-05T08:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Asset"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getAssetSnapshots: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[household][eq]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[household][in]"?: string;
                /** @description Equal to the value. */
                "filter[asset][eq]"?: string;
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[asset][in]"?: string;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "object": "asset_snapshot",
                     *           "household": "dom_lindenallee0hamburg00007",
                     *           "asset": "ast_lindenallee0battery00001",
                     *           "timestamp": "2026-11-01T11:00:10.250Z",
                     *           "power_kw": 2.1,
                     *           "state_of_charge": 0.64,
                     *           "created_at": "2026-11-01T11:00:10.900Z"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["AssetSnapshot"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postAssetSnapshots: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "household": "dom_lindenallee0hamburg00007",
                 *       "snapshots": [
                 *         {
                 *           "asset": "ast_lindenallee0inverter0001",
                 *           "timestamp": "2026-11-01T11:00:00Z",
                 *           "power_kw": -3.42
                 *         },
                 *         {
                 *           "external_id": "battery-1",
                 *           "timestamp": "2026-11-01T12:00:10.250+01:00",
                 *           "power_kw": 2.1,
                 *           "state_of_charge": 0.64
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Id of the household that all assets belong to. */
                    household: string;
                    /** @description The rows, all of one household; they are stored all or none. */
                    snapshots: components["schemas"]["AssetSnapshotRow"][];
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "asset_snapshot_batch",
                     *       "household": "dom_lindenallee0hamburg00007",
                     *       "start": "2026-11-01T11:00:00.000Z",
                     *       "end": "2026-11-01T11:00:10.250Z",
                     *       "total": 2,
                     *       "stored": 2,
                     *       "duplicates": 0
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is
                         * @constant
                         */
                        object: "asset_snapshot_batch";
                        /** @description Id of the household. */
                        household: string;
                        /**
                         * Format: date-time
                         * @description The earliest timestamp of the batch.
                         */
                        start: string;
                        /**
                         * Format: date-time
                         * @description The latest timestamp of the batch.
                         */
                        end: string;
                        /** @description Rows sent. */
                        total: number;
                        /** @description Rows newly written. */
                        stored: number;
                        /** @description Rows equal to stored ones, or repeated in the request. */
                        duplicates: number;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getSpotPrices: {
        parameters: {
            query?: {
                /** @description `day_ahead`: realized prices of the German day-ahead auction. `day_ahead_forecast`: forecast prices; the curve of a day is frozen at 12:00 Berlin time of the day before. */
                type?: "day_ahead" | "day_ahead_forecast";
                /** @description First delivery date, inclusive, Berlin calendar; today where absent */
                start?: string;
                /** @description Last delivery date, inclusive; where absent the same as `start`, or tomorrow when `start` is absent too */
                end?: string;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
                /** @description The `ETag` of the answer that the caller has; a list of them, or `*`. */
                "If-None-Match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    ETag: components["headers"]["etag"];
                    "Cache-Control": components["headers"]["cacheControl"];
                    Link: components["headers"]["license"];
                    /** @description Of CSV only: that it is a file, and its name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "price",
                     *       "type": "day_ahead",
                     *       "period": {
                     *         "start": "2026-11-01T00:00:00+01:00",
                     *         "end": "2026-11-02T00:00:00+01:00"
                     *       },
                     *       "currency": "EUR",
                     *       "unit": "ct/kWh",
                     *       "resolution": "15min",
                     *       "missing": [
                     *         "2026-11-01T22:45:00Z"
                     *       ],
                     *       "items": [
                     *         {
                     *           "timestamp": "2026-10-31T23:00:00Z",
                     *           "amount": 7.912
                     *         },
                     *         {
                     *           "timestamp": "2026-10-31T23:15:00Z",
                     *           "amount": -0.613
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SpotPrices"];
                    /**
                     * @example timestamp,amount_ct_kwh
                     *     2026-11-01T22:30:00Z,7.912
                     *     2026-11-01T22:45:00Z,
                     */
                    "text/csv": string;
                };
            };
            /** @description The caller has it already; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    ETag: components["headers"]["etag"];
                    "Cache-Control": components["headers"]["cacheControl"];
                    Link: components["headers"]["license"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getEvents: {
        parameters: {
            query?: {
                /** @description Id of an event: those that were committed after it, oldest first, none left out and none twice. `0` begins with the oldest there is. Not with `filter[created_at]` */
                after?: string;
                /** @description Items per page. */
                limit?: components["parameters"]["limit"];
                /** @description The `next_page` of the page before; leave it out for the first one. */
                cursor?: components["parameters"]["cursor"];
                /** @description Equal to the value. */
                "filter[topic][eq]"?: "subscription.created" | "subscription.confirmed" | "subscription.activated" | "subscription.terminated" | "subscription.ended" | "invoice.created" | "invoice.paid" | "invoice.payment_failed" | "invoice.uncollectible" | "invoice.voided" | "meter_order.created" | "meter_order.placed" | "meter_order.check_submitted" | "meter_order.check_reviewed" | "meter_order.scheduled" | "meter_order.installed" | "meter_order.activated" | "meter_order.blocked" | "meter_order.cancelled";
                /** @description Different from the value; null does not match. */
                "filter[topic][ne]"?: "subscription.created" | "subscription.confirmed" | "subscription.activated" | "subscription.terminated" | "subscription.ended" | "invoice.created" | "invoice.paid" | "invoice.payment_failed" | "invoice.uncollectible" | "invoice.voided" | "meter_order.created" | "meter_order.placed" | "meter_order.check_submitted" | "meter_order.check_reviewed" | "meter_order.scheduled" | "meter_order.installed" | "meter_order.activated" | "meter_order.blocked" | "meter_order.cancelled";
                /** @description Equal to one of up to 100 values, separated by commas. */
                "filter[topic][in]"?: string;
                /** @description The value or greater; dates: at that instant or later. */
                "filter[created_at][gte]"?: string;
                /** @description The value or less; dates: at that instant or earlier. */
                "filter[created_at][lte]"?: string;
                /** @description `true`: without a value; `false`: with one. */
                "filter[created_at][is_null]"?: boolean;
            };
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "items": [
                     *         {
                     *           "id": "evt_096h7tbtcaoe2c1exfawakq3",
                     *           "topic": "subscription.activated",
                     *           "timestamp": "2026-11-30T23:00:04.481Z",
                     *           "context": {
                     *             "subscription": "sub_jule0brandt0strom0000001"
                     *           }
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_page": null
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Says what kind of object it is.
                         * @constant
                         */
                        object: "list";
                        /** @description Whether another page follows. */
                        has_more: boolean;
                        /** @description Send it as `cursor`, everything else unchanged, for the next page; null on the last one. */
                        next_page: string | null;
                        /** @description The entries, newest first. */
                        items: components["schemas"]["Event"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getEventsId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                     *       "topic": "subscription.activated",
                     *       "timestamp": "2026-11-30T23:00:04.481Z",
                     *       "context": {
                     *         "subscription": "sub_jule0brandt0strom0000001"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    postAdminMagicLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The version for this request; without it the one that the token was issued for.
                 * @example 2026-09-08.gauss
                 */
                "X-API-Version"?: components["parameters"]["version"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customerId": "cus_jule0brandt0hamburg02601"
                 *     }
                 */
                "application/json": {
                    /** @description Id of the customer whom the link lets in */
                    customerId: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    "X-API-Version": components["headers"]["version"];
                    "RateLimit-Limit": components["headers"]["rateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["rateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["rateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "magic_link",
                     *       "link": "https://api.example.org/portal/auth/confirm?token_hash=ZXhhbXBsZQ&type=magiclink&next=/overview"
                     *     }
                     */
                    "application/json": components["schemas"]["MagicLink"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            402: components["responses"]["402"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    onSubscriptionCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "subscription.created",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "subscription": "sub_jule0brandt0strom0000001",
                 *         "lead": "lead_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionCreatedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionConfirmed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "subscription.confirmed",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionConfirmedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionActivated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "subscription.activated",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionActivatedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionTerminated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "subscription.terminated",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionTerminatedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriptionEnded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "subscription.ended",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriptionEndedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "invoice.created",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "invoice": "inv_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvoiceCreatedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoicePaid: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "invoice.paid",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "invoice": "inv_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvoicePaidEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoicePaymentFailed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "invoice.payment_failed",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "invoice": "inv_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvoicePaymentFailedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceUncollectible: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "invoice.uncollectible",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "invoice": "inv_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvoiceUncollectibleEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceVoided: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "invoice.voided",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "invoice": "inv_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001",
                 *         "voiding_invoice": "inv_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InvoiceVoidedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.created",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderCreatedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderPlaced: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.placed",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderPlacedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderCheckSubmitted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.check_submitted",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderCheckSubmittedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderCheckReviewed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.check_reviewed",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderCheckReviewedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderScheduled: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.scheduled",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderScheduledEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderInstalled: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.installed",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderInstalledEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderActivated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.activated",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderActivatedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderBlocked: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.blocked",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderBlockedEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMeterOrderCancelled: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "meter_order.cancelled",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {
                 *         "meter_order": "prdo_jule0brandt0strom0000001",
                 *         "subscription": "sub_jule0brandt0strom0000001"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MeterOrderCancelledEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTestEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event, the same on every attempt: ignore one that you have had before.
                 * @example evt_096h7tbtcaoe2c1exfawakq3
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt: refuse one that is more than five minutes off.
                 * @example 1796079604
                 */
                "webhook-timestamp": string;
                /**
                 * @description `v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_test_096h7tbtcaoe2c1exfawakq3",
                 *       "topic": "test.event",
                 *       "timestamp": "2026-11-30T23:00:04.481Z",
                 *       "context": {}
                 *     }
                 */
                "application/json": components["schemas"]["TestEventEvent"];
            };
        };
        responses: {
            /** @description The endpoint is switched off, and what waits for it is cancelled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again later, after `Retry-After` where that is named; 503 is treated alike. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken; nothing is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
