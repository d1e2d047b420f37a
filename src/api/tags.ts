/** What the API description says of each group of calls. */
export const tags: Readonly<Record<string, string>> = {
  'Asset snapshots':
    'What devices measure. Gateways send it in batches; the newest of each device is read back.',
  Assets: 'Devices of a household, with the ratings against which their snapshots are checked.',
  Customers: 'People and companies who are supplied. A sign-up (`POST /subscriptions`) makes them.',
  Events: 'What happened to contracts, orders and bills: the same that webhooks tell.',
  'Grid fee reductions': 'Modules of §14a EnWG, ordered for a contract and answered by the grid operator.',
  Households: 'Places that are supplied, each with one meter. A sign-up makes them.',
  Invoices: 'Bills and credits of contracts, with their PDF.',
  Leads: 'People who were offered a plan and have not signed yet.',
  'Load forecasts': 'What contracts are expected to draw.',
  'Market partners': 'Suppliers that a sign-up may name as the previous one.',
  'Meter orders': 'Smart meters ordered for a contract, until they deliver readings.',
  'Meter readings': 'What analog meters show, told by customers and metering operators.',
  Plans: 'Tariffs of your organization, and what they would cost somebody: quotes and savings.',
  'Spot prices': 'Day-ahead prices of the market, and forecasts where they are enabled.',
  Subscriptions: 'Contracts: sign-up, changes, termination, and what a kWh costs under one.',
  Tokens:
    'Access tokens by OAuth 2.0. A customer consents in a browser, at `GET /oauth/authorize`: the guide, `/docs/customers`, has the whole way.',
  Usage: 'What contracts used or fed in.',
  Webhooks: 'Requests that the service sends to your endpoint, one for each event.',
};
