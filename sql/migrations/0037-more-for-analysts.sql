-- What the views of analysts on places, fees, forecasts, leads and webhooks read: of each table only the columns that a view
-- shows. Of addresses the zip alone, of leads no details, of receivers of webhooks no address and no secret.
GRANT SELECT (organization_id, id, zip) ON addresses TO voltstream_analyst_reader;
CREATE POLICY analysts ON addresses FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (address_id) ON households, subscriptions TO voltstream_analyst_reader;

GRANT SELECT (organization_id, id, plan_id, subscription_id, subscribed_at, last_visited_at, created_at)
  ON leads TO voltstream_analyst_reader;
CREATE POLICY analysts ON leads FOR SELECT TO voltstream_analyst_reader USING (true);

GRANT SELECT (organization_id, id, topic, timestamp) ON events TO voltstream_analyst_reader;
CREATE POLICY analysts ON events FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (organization_id, event_id, endpoint_id, state, created_at, attempts_in_all, next_at, last_attempt_at, delivered_at,
              last_status) ON event_deliveries TO voltstream_analyst_reader;
CREATE POLICY analysts ON event_deliveries FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (organization_id, id, kind, topics, created_at, disabled_at, disabled_reason, deleted_at, failing_since,
              last_success_at, last_failure_at) ON webhook_endpoints TO voltstream_analyst_reader;
CREATE POLICY analysts ON webhook_endpoints FOR SELECT TO voltstream_analyst_reader USING (true);

GRANT SELECT (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
  ON billing_terms TO voltstream_analyst_reader;
CREATE POLICY analysts ON billing_terms FOR SELECT TO voltstream_analyst_reader USING (true);

-- Public facts, of no organization.
GRANT SELECT (operator, name, valid_from, valid_to) ON grid_operators TO voltstream_analyst_reader;
GRANT SELECT (zip, operator, concession_class, share, valid_from, valid_to) ON zip_areas TO voltstream_analyst_reader;
GRANT SELECT (operator, base_eur_year_net, working_ct_net, module_1_eur_year_net, module_2_ct_net, provisional, valid_from,
              valid_to) ON grid_fees TO voltstream_analyst_reader;
GRANT SELECT (operator, low_ct_net, standard_ct_net, high_ct_net, quarters, low_windows, high_windows, valid_from, valid_to)
  ON grid_fee_schedules TO voltstream_analyst_reader;
GRANT SELECT (code, ct_net, valid_from, valid_to) ON levies TO voltstream_analyst_reader;
GRANT SELECT (class, ct_net, valid_from, valid_to) ON concession_fees TO voltstream_analyst_reader;
GRANT SELECT (rate, valid_from, valid_to) ON vat_rates TO voltstream_analyst_reader;
GRANT SELECT (base_fee_eur_year_gross, energy_ct_net, valid_from, valid_to) ON benchmarks TO voltstream_analyst_reader;
GRANT SELECT (capture_id, zone, delivery_on, source, captured_at, complete) ON price_forecast_days TO voltstream_analyst_reader;
GRANT SELECT (zone, delivery_on, capture_id, frozen_at, late) ON price_forecast_frozen TO voltstream_analyst_reader;
GRANT SELECT (capture_id, interval_start, minutes, amount) ON price_forecast_values TO voltstream_analyst_reader;
