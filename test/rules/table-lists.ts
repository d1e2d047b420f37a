/** What belongs to the service itself; the snapshots' barrier is tested in a file of its own. */
export const WITHOUT_ORGANIZATION = [
  'asset_days',
  'asset_quarter_hours',
  'asset_snapshots',
  'audit_chain',
  'audit_seals',
  'benchmarks',
  'billed_reference_rows',
  'concession_fees',
  'day_ahead_means',
  'delivery_days',
  'eeg_rates',
  'energy_mixes',
  'grid_fee_schedules',
  'grid_fees',
  'grid_operators',
  'late_quarter_hours',
  'levies',
  'load_profiles',
  'market_partners',
  'market_values',
  'metering_fees',
  'organizations',
  'price_alarms',
  'price_day_changes',
  'price_day_sums',
  'price_days',
  'price_fetches',
  'price_forecast_captures',
  'price_forecast_days',
  'price_forecast_frozen',
  'price_forecast_values',
  'price_kind',
  'price_payloads',
  'price_revisions',
  'price_source_days',
  'price_sources',
  'quarter_hour_progress',
  'reference_changes',
  'reference_history',
  'reference_revision',
  'savings_parameters',
  'schedules',
  'schema_migrations',
  'signing_keys',
  'spot_prices',
  'usage_groups',
  'vat_rates',
  'zip_areas',
];

/**
 * Looked up before an organization is known, or random and internal, or given by operators alone: their collision tells
 * nobody anything.
 */
export const UNIQUE_ACROSS_ORGANIZATIONS = [
  'analysts_name_key',
  'assets_key_key',
  'audit_log_pkey',
  'auth_clients_id_key',
  'authorization_codes_pkey',
  'authorization_requests_id_key',
  'client_secrets_pkey',
  'console_sessions_pkey',
  'console_users_email_lower_key',
  'grants_id_key',
  'job_runs_pkey',
  'magic_links_pkey',
  'portal_sessions_pkey',
  'refresh_tokens_pkey',
];

/** Written once: the service has no right to change a row; of an invoice and of what pays it, the state alone. */
export const APPEND_ONLY = [
  ...['bank_entries', 'dunning_holds', 'dunning_steps', 'payments'],
  ...[
    'analysts',
    'billing_runs',
    'delivery_attempts',
    'events',
    'invoice_files',
    'invoice_lines',
    'invoices',
    'meter_readings',
  ],
  ...[
    'payment_files',
    'payment_methods',
    'plan_terms_history',
    'replaced_usage',
    'settled_usage_months',
    'wrong_one_time_codes',
  ],
];

/** Rows that name a customer, which who acts for that customer does not see. */
export const HIDDEN_FROM_CUSTOMERS = [
  'auth_clients',
  'authorization_codes',
  'authorization_requests',
  'magic_links',
  'portal_sessions',
];
