-- Written from the database by scripts/write-schema.ts: not changed by hand.

CREATE FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
  SELECT count(*),
         sha256(coalesce(previous, ''::bytea) || coalesce(string_agg(row_hash, ''::bytea ORDER BY id), ''::bytea))
    FROM (SELECT id,
                 sha256(convert_to(jsonb_build_array(
                   id, at, organization_id, client_id, grant_id, staff, act, object_id, route, reason, result,
                   request_id, address, before, after)::text, 'UTF8')) AS row_hash
            FROM public.audit_log
           WHERE at >= sealed_day::timestamptz AND at < (sealed_day + 1)::timestamptz) AS of_day
$$;

ALTER FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) IS 'Number and chained hash of the audit rows of one day (UTC).';

CREATE FUNCTION public.audit_seal_problems(first_day date, last_day date) RETURNS TABLE(day date, problem text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT seal.day,
         CASE
           WHEN before_it.day IS NOT NULL AND seal.previous_hash IS DISTINCT FROM before_it.hash
             THEN 'does not continue the seal of the day before'
           WHEN seal.rows <> now_there.rows
             THEN format('%s rows were sealed, %s are there', seal.rows, now_there.rows)
           ELSE 'the rows are not those that were sealed'
         END
    FROM public.audit_seals AS seal
    CROSS JOIN LATERAL public.audit_day_hash(seal.day, seal.previous_hash) AS now_there
    LEFT JOIN public.audit_seals AS before_it ON before_it.day = seal.day - 1
   WHERE seal.day BETWEEN first_day AND last_day
     AND (seal.hash <> now_there.hash
          OR (before_it.day IS NOT NULL AND seal.previous_hash IS DISTINCT FROM before_it.hash))
   ORDER BY seal.day
$$;

ALTER FUNCTION public.audit_seal_problems(first_day date, last_day date) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.audit_seal_problems(first_day date, last_day date) IS 'Seals of some days that no longer fit the audit log or the seal before.';

CREATE FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  deleted bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() - interval '24 months' THEN
    RAISE EXCEPTION 'Rows of the audit log are kept for 24 months' USING ERRCODE = 'check_violation';
  END IF;
  DELETE FROM public.audit_log
   WHERE id IN (SELECT id FROM public.audit_log WHERE at < older_than ORDER BY at LIMIT rows_max);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;

ALTER FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) IS 'Deletes audit rows before an instant at least 24 months ago, at most so many; returns their number.';

CREATE FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  dropped bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Chunks are dropped up to an instant in the past only';
  END IF;
  SELECT count(*) INTO dropped FROM public.drop_chunks('public.asset_snapshots', older_than => older_than);
  RETURN dropped;
END
$$;

ALTER FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone) IS 'Drops the chunks of asset_snapshots that lie wholly before an instant; returns their number.';

CREATE FUNCTION public.erase_asset_snapshots(asset_key bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  erased bigint;
BEGIN
  DELETE FROM public.asset_snapshots WHERE asset_id = asset_key;
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$$;

ALTER FUNCTION public.erase_asset_snapshots(asset_key bigint) OWNER TO voltstream_owner;

COMMENT ON FUNCTION public.erase_asset_snapshots(asset_key bigint) IS 'Deletes all snapshots of one asset, by assets.key; returns their number.';

CREATE TABLE public.auth_clients (
    organization_id text NOT NULL,
    id text NOT NULL,
    display_name text NOT NULL,
    redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
    redirect_rule text DEFAULT 'origin'::text NOT NULL,
    role text DEFAULT 'organization'::text NOT NULL,
    customer_id text,
    scopes text[] NOT NULL,
    grants text[] NOT NULL,
    public boolean DEFAULT false NOT NULL,
    third_party boolean DEFAULT false NOT NULL,
    s256_only boolean DEFAULT false NOT NULL,
    version text NOT NULL,
    rate_per_second integer DEFAULT 50 NOT NULL,
    rate_burst integer DEFAULT 100 NOT NULL,
    disabled_at timestamp with time zone,
    last_used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT auth_clients_check CHECK (((role = 'customer'::text) = (customer_id IS NOT NULL))),
    CONSTRAINT auth_clients_display_name_check CHECK ((display_name <> ''::text)),
    CONSTRAINT auth_clients_id_check CHECK ((id ~ '^oac_[0-9a-z]{24}$'::text)),
    CONSTRAINT auth_clients_rate_burst_check CHECK ((rate_burst > 0)),
    CONSTRAINT auth_clients_rate_per_second_check CHECK ((rate_per_second > 0)),
    CONSTRAINT auth_clients_redirect_rule_check CHECK ((redirect_rule = ANY (ARRAY['origin'::text, 'exact'::text]))),
    CONSTRAINT auth_clients_role_check CHECK ((role = ANY (ARRAY['organization'::text, 'customer'::text]))),
    CONSTRAINT auth_clients_scopes_check CHECK ((scopes <@ ARRAY['read:*'::text, 'write:*'::text])),
    CONSTRAINT auth_clients_scopes_check1 CHECK ((scopes <> '{}'::text[]))
);

ALTER TABLE ONLY public.auth_clients FORCE ROW LEVEL SECURITY;

ALTER TABLE public.auth_clients OWNER TO voltstream_owner;

COMMENT ON TABLE public.auth_clients IS 'OAuth clients: programs that may ask for tokens.';

COMMENT ON COLUMN public.auth_clients.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.auth_clients.id IS 'The client_id: oac_ and 24 random characters.';

COMMENT ON COLUMN public.auth_clients.display_name IS 'Shown to operators and on consent screens.';

COMMENT ON COLUMN public.auth_clients.redirect_uris IS 'Registered addresses for the authorization code flow.';

COMMENT ON COLUMN public.auth_clients.redirect_rule IS 'origin: any path below a registered origin; exact: the text itself.';

COMMENT ON COLUMN public.auth_clients.role IS 'organization, or customer: then it acts for one customer.';

COMMENT ON COLUMN public.auth_clients.customer_id IS 'The customer that a client of role customer acts for.';

COMMENT ON COLUMN public.auth_clients.scopes IS 'read:* and write:*: what its tokens may do.';

COMMENT ON COLUMN public.auth_clients.grants IS 'Grant types it may use.';

COMMENT ON COLUMN public.auth_clients.public IS 'Has no secret (an app on a device).';

COMMENT ON COLUMN public.auth_clients.third_party IS 'Belongs to somebody else: the customer is asked for consent.';

COMMENT ON COLUMN public.auth_clients.s256_only IS 'Refuses the plain method of PKCE.';

COMMENT ON COLUMN public.auth_clients.version IS 'Dated version of the interface that its tokens are pinned to.';

COMMENT ON COLUMN public.auth_clients.rate_per_second IS 'Requests per second that the bucket refills by.';

COMMENT ON COLUMN public.auth_clients.rate_burst IS 'Requests that the full bucket holds.';

COMMENT ON COLUMN public.auth_clients.disabled_at IS 'Switched off since; its tokens die within 5 seconds.';

COMMENT ON COLUMN public.auth_clients.last_used_at IS 'Last token or call, exact to about a minute.';

COMMENT ON COLUMN public.auth_clients.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.auth_clients.updated_at IS 'Instant of the last change.';

CREATE TABLE public.grants (
    organization_id text NOT NULL,
    id text NOT NULL,
    client_id text NOT NULL,
    customer_id text,
    kind text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    revoked_reason text,
    CONSTRAINT grants_check CHECK (((revoked_at IS NULL) = (revoked_reason IS NULL))),
    CONSTRAINT grants_id_check CHECK ((id ~ '^grt_[0-9a-z]{24}$'::text)),
    CONSTRAINT grants_kind_check CHECK ((kind = ANY (ARRAY['client_credentials'::text, 'authorization_code'::text]))),
    CONSTRAINT grants_scopes_check CHECK ((scopes <@ ARRAY['read:*'::text, 'write:*'::text])),
    CONSTRAINT grants_scopes_check1 CHECK ((scopes <> '{}'::text[]))
);

ALTER TABLE ONLY public.grants FORCE ROW LEVEL SECURITY;

ALTER TABLE public.grants OWNER TO voltstream_owner;

COMMENT ON TABLE public.grants IS 'What was issued together and is revoked together.';

COMMENT ON COLUMN public.grants.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.grants.id IS 'grt_ and 24 random characters; access tokens carry it.';

COMMENT ON COLUMN public.grants.client_id IS 'The client it was issued to.';

COMMENT ON COLUMN public.grants.customer_id IS 'The customer it acts for; null: the whole organization.';

COMMENT ON COLUMN public.grants.kind IS 'The grant type that began it.';

COMMENT ON COLUMN public.grants.scopes IS 'What was given; a refresh never widens it.';

COMMENT ON COLUMN public.grants.created_at IS 'Beginning; refresh tokens end 180 days later at the latest.';

COMMENT ON COLUMN public.grants.revoked_at IS 'Dead since; access tokens within 5 seconds.';

COMMENT ON COLUMN public.grants.revoked_reason IS 'Why it was revoked.';

CREATE TABLE public.organizations (
    id text NOT NULL,
    name text NOT NULL,
    standing text DEFAULT 'in_order'::text NOT NULL,
    forecast_enabled boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organizations_id_check CHECK ((id ~ '^org_[0-9a-z]{24}$'::text)),
    CONSTRAINT organizations_name_check CHECK ((name <> ''::text)),
    CONSTRAINT organizations_standing_check CHECK ((standing = ANY (ARRAY['in_order'::text, 'past_due'::text, 'suspended'::text, 'deleted'::text])))
);

ALTER TABLE ONLY public.organizations FORCE ROW LEVEL SECURITY;

ALTER TABLE public.organizations OWNER TO voltstream_owner;

COMMENT ON TABLE public.organizations IS 'Tenants: every row of every other tenant table belongs to exactly one of them.';

COMMENT ON COLUMN public.organizations.id IS 'org_ and 24 random characters.';

COMMENT ON COLUMN public.organizations.name IS 'Name for operators; shown by no API call.';

COMMENT ON COLUMN public.organizations.standing IS 'in_order; past_due answers 402; suspended and deleted make every token invalid within 5 seconds.';

COMMENT ON COLUMN public.organizations.forecast_enabled IS 'Whether forecast prices are shown to it.';

COMMENT ON COLUMN public.organizations.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.organizations.updated_at IS 'Instant of the last change.';

CREATE FUNCTION public.find_access(grant_id text, client_id text) RETURNS TABLE(organization_id text, standing text, revoked_at timestamp with time zone, disabled_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT o.id,
     o.standing,
     g.revoked_at,
     c.disabled_at
    FROM ((public.grants g
      JOIN public.auth_clients c ON (((c.organization_id = g.organization_id) AND (c.id = g.client_id))))
      JOIN public.organizations o ON ((o.id = g.organization_id)))
   WHERE ((g.id = find_access.grant_id) AND (g.client_id = find_access.client_id));
END;

ALTER FUNCTION public.find_access(grant_id text, client_id text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_access(grant_id text, client_id text) IS 'Whether the grant of an access token, its client and its organization are alive.';

CREATE FUNCTION public.find_client(client_id text) RETURNS TABLE(id text, organization_id text, standing text, role text, customer_id text, scopes text[], grants text[], public boolean, third_party boolean, version text, disabled_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT c.id,
     c.organization_id,
     o.standing,
     c.role,
     c.customer_id,
     c.scopes,
     c.grants,
     c.public,
     c.third_party,
     c.version,
     c.disabled_at
    FROM (public.auth_clients c
      JOIN public.organizations o ON ((o.id = c.organization_id)))
   WHERE (c.id = find_client.client_id);
END;

ALTER FUNCTION public.find_client(client_id text) OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.find_client(client_id text) IS 'An auth client with the standing of its organization.';

CREATE FUNCTION public.list_organizations() RETURNS TABLE(id text, name text, standing text, forecast_enabled boolean, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT o.id,
     o.name,
     o.standing,
     o.forecast_enabled,
     o.created_at,
     o.updated_at
    FROM public.organizations o
   ORDER BY o.created_at DESC, o.id DESC;
END;

ALTER FUNCTION public.list_organizations() OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.list_organizations() IS 'All organizations: for jobs that go through them one by one, and for operators.';

CREATE FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer) RETURNS TABLE(household text, asset text, asset_type text, "timestamp" timestamp with time zone, power_kw double precision, state_of_charge double precision, connected boolean, vehicle_state_of_charge double precision, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT a.household_id, a.id, a.type, newest.timestamp, newest.power_kw, newest.state_of_charge, newest.connected,
         newest.vehicle_state_of_charge, newest.created_at
    FROM public.assets a
   CROSS JOIN LATERAL (
     SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
       FROM public.asset_snapshots s
      WHERE s.asset_id = a.key AND s.timestamp >= since
      ORDER BY s.timestamp DESC
      LIMIT 1
   ) newest
   WHERE (households IS NULL OR a.household_id = ANY (households))
     AND (asset_ids IS NULL OR a.id = ANY (asset_ids))
     AND (after_timestamp IS NULL OR (newest.timestamp, a.id) < (after_timestamp, after_asset))
   ORDER BY newest.timestamp DESC, a.id DESC
   LIMIT page_rows;
END
$$;

ALTER FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer) OWNER TO voltstream_snapshot_reader;

COMMENT ON FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer) IS 'Newest snapshot per visible asset since an instant, newest first, by household and asset, in pages.';

CREATE FUNCTION public.seal_audit_days() RETURNS TABLE(day date, rows bigint, hash bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
#variable_conflict use_column
DECLARE
  head public.audit_seals%ROWTYPE;
  next_day date;
  last_day date := (now() - interval '10 minutes')::date - 1;
  sealed record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream audit seals', 0));
  SELECT * INTO head FROM public.audit_seals ORDER BY day DESC LIMIT 1;
  next_day := coalesce(head.day + 1, (SELECT min(at)::date FROM public.audit_log));
  WHILE next_day <= last_day LOOP
    SELECT * INTO sealed FROM public.audit_day_hash(next_day, head.hash);
    INSERT INTO public.audit_seals (day, rows, hash, previous_hash)
    VALUES (next_day, sealed.rows, sealed.hash, head.hash)
    RETURNING * INTO head;
    RETURN QUERY SELECT head.day, head.rows, head.hash;
    next_day := next_day + 1;
  END LOOP;
END
$$;

ALTER FUNCTION public.seal_audit_days() OWNER TO voltstream_system_reader;

COMMENT ON FUNCTION public.seal_audit_days() IS 'Seals all days of the audit log that are over; returns the new seals, oldest first.';

CREATE TABLE public.addresses (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    street text NOT NULL,
    house_number text NOT NULL,
    zip text NOT NULL,
    city text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT addresses_id_check CHECK ((id ~ '^adr_[0-9a-z]{24}$'::text))
);

ALTER TABLE ONLY public.addresses FORCE ROW LEVEL SECURITY;

ALTER TABLE public.addresses OWNER TO voltstream_owner;

COMMENT ON TABLE public.addresses IS 'Postal addresses of customers.';

COMMENT ON COLUMN public.addresses.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.addresses.id IS 'adr_ and 24 random characters.';

COMMENT ON COLUMN public.addresses.customer_id IS 'Whose address it is.';

COMMENT ON COLUMN public.addresses.street IS 'Street without number. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.house_number IS 'House number. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.zip IS 'German postal code, 5 digits. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.city IS 'Town. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.addresses.created_at IS 'Instant of creation.';

CREATE TABLE public.asset_snapshots (
    asset_id bigint NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    power_kw double precision,
    state_of_charge double precision,
    vehicle_state_of_charge double precision,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    connected boolean,
    CONSTRAINT asset_snapshots_power_kw_check CHECK (((power_kw > ('-1000000000'::numeric)::double precision) AND (power_kw < ('1000000000'::numeric)::double precision))),
    CONSTRAINT asset_snapshots_state_of_charge_check CHECK (((state_of_charge >= (0)::double precision) AND (state_of_charge <= (1)::double precision))),
    CONSTRAINT asset_snapshots_vehicle_state_of_charge_check CHECK (((vehicle_state_of_charge >= (0)::double precision) AND (vehicle_state_of_charge <= (1)::double precision)))
);

ALTER TABLE public.asset_snapshots OWNER TO voltstream_owner;

COMMENT ON TABLE public.asset_snapshots IS 'Measured values of assets: a hypertable in chunks of 7 days, unique by asset and instant.';

COMMENT ON COLUMN public.asset_snapshots.asset_id IS 'Internal key of the asset: assets.key.';

COMMENT ON COLUMN public.asset_snapshots."timestamp" IS 'Instant of the measurement, to the microsecond.';

COMMENT ON COLUMN public.asset_snapshots.power_kw IS 'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative.';

COMMENT ON COLUMN public.asset_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1.';

COMMENT ON COLUMN public.asset_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1.';

COMMENT ON COLUMN public.asset_snapshots.created_at IS 'Instant of storing.';

COMMENT ON COLUMN public.asset_snapshots.connected IS 'Whether a vehicle is connected to the wallbox.';

CREATE TABLE public.assets (
    organization_id text NOT NULL,
    id text NOT NULL,
    key bigint NOT NULL,
    household_id text NOT NULL,
    customer_id text NOT NULL,
    type text NOT NULL,
    external_id text,
    display_name text,
    manufacturer text,
    model text,
    parent_inverter text,
    max_power_kw double precision,
    hybrid boolean,
    peak_power_kw double precision,
    azimuth double precision,
    tilt double precision,
    capacity_kwh double precision,
    max_charge_power_kw double precision,
    max_discharge_power_kw double precision,
    phases integer,
    bidirectional boolean,
    thermal_power_kw double precision,
    decommissioned_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT assets_battery CHECK ((((capacity_kwh IS NOT NULL) = (type = 'battery'::text)) AND ((max_charge_power_kw IS NOT NULL) = (type = 'battery'::text)) AND ((max_discharge_power_kw IS NOT NULL) = (type = 'battery'::text)) AND (capacity_kwh > (0)::double precision) AND (capacity_kwh < 'Infinity'::double precision) AND (max_charge_power_kw > (0)::double precision) AND (max_charge_power_kw < 'Infinity'::double precision) AND (max_discharge_power_kw > (0)::double precision) AND (max_discharge_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
    CONSTRAINT assets_heat_pump CHECK ((((type = 'heat_pump'::text) OR (thermal_power_kw IS NULL)) AND (thermal_power_kw > (0)::double precision) AND (thermal_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_household_assets CHECK (((type <> ALL (ARRAY['household_net'::text, 'household_residual'::text])) OR ((external_id IS NULL) AND (manufacturer IS NULL) AND (model IS NULL) AND (decommissioned_at IS NULL)))),
    CONSTRAINT assets_id_check CHECK ((id ~ '^ast_[0-9a-z]{24}$'::text)),
    CONSTRAINT assets_inverter CHECK (((hybrid IS NOT NULL) = (type = 'inverter'::text))),
    CONSTRAINT assets_max_power_kw CHECK ((((max_power_kw IS NOT NULL) = (type = ANY (ARRAY['inverter'::text, 'wallbox'::text, 'heat_pump'::text]))) AND (max_power_kw > (0)::double precision) AND (max_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_orientation CHECK ((((type = 'solar'::text) OR ((azimuth IS NULL) AND (tilt IS NULL))) AND ((azimuth >= (0)::double precision) AND (azimuth <= (360)::double precision)) AND ((tilt >= (0)::double precision) AND (tilt <= (90)::double precision)))),
    CONSTRAINT assets_parent_by_type CHECK (
CASE type
    WHEN 'solar'::text THEN (parent_inverter IS NOT NULL)
    WHEN 'battery'::text THEN true
    ELSE (parent_inverter IS NULL)
END),
    CONSTRAINT assets_solar CHECK ((((peak_power_kw IS NOT NULL) = (type = 'solar'::text)) AND (peak_power_kw > (0)::double precision) AND (peak_power_kw < 'Infinity'::double precision))),
    CONSTRAINT assets_type_check CHECK ((type = ANY (ARRAY['inverter'::text, 'solar'::text, 'battery'::text, 'wallbox'::text, 'heat_pump'::text, 'household_net'::text, 'household_residual'::text]))),
    CONSTRAINT assets_wallbox CHECK ((((bidirectional IS NOT NULL) = (type = 'wallbox'::text)) AND ((type = 'wallbox'::text) OR (phases IS NULL)) AND (phases = ANY (ARRAY[1, 3]))))
);

ALTER TABLE ONLY public.assets FORCE ROW LEVEL SECURITY;

ALTER TABLE public.assets OWNER TO voltstream_owner;

COMMENT ON TABLE public.assets IS 'Devices of households and the two computed assets of each household.';

COMMENT ON COLUMN public.assets.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.assets.id IS 'ast_ and 24 random characters.';

COMMENT ON COLUMN public.assets.key IS 'Internal key in asset_snapshots; never shown, never used again.';

COMMENT ON COLUMN public.assets.household_id IS 'The household it belongs to; never changes.';

COMMENT ON COLUMN public.assets.customer_id IS 'The household''s customer, kept here so that policies need no join.';

COMMENT ON COLUMN public.assets.type IS 'Device type, or household_net or household_residual; never changes.';

COMMENT ON COLUMN public.assets.external_id IS 'The organization''s own name for it; once set it never changes and is never free again.';

COMMENT ON COLUMN public.assets.display_name IS 'Name for people.';

COMMENT ON COLUMN public.assets.manufacturer IS 'Manufacturer.';

COMMENT ON COLUMN public.assets.model IS 'Model.';

COMMENT ON COLUMN public.assets.parent_inverter IS 'The inverter behind which a solar array or a battery sits.';

COMMENT ON COLUMN public.assets.max_power_kw IS 'Rated power in kW of an inverter, wallbox or heat pump (electrical).';

COMMENT ON COLUMN public.assets.hybrid IS 'Whether the inverter takes batteries.';

COMMENT ON COLUMN public.assets.peak_power_kw IS 'Peak power in kW of the solar array.';

COMMENT ON COLUMN public.assets.azimuth IS 'Direction of the solar array in degrees, 0 to 360.';

COMMENT ON COLUMN public.assets.tilt IS 'Tilt of the solar array in degrees, 0 to 90.';

COMMENT ON COLUMN public.assets.capacity_kwh IS 'Capacity of the battery in kWh.';

COMMENT ON COLUMN public.assets.max_charge_power_kw IS 'Rated charging power of the battery in kW.';

COMMENT ON COLUMN public.assets.max_discharge_power_kw IS 'Rated discharging power of the battery in kW.';

COMMENT ON COLUMN public.assets.phases IS 'Phases of the wallbox, 1 or 3.';

COMMENT ON COLUMN public.assets.bidirectional IS 'Whether the wallbox can discharge a vehicle.';

COMMENT ON COLUMN public.assets.thermal_power_kw IS 'Thermal power of the heat pump in kW.';

COMMENT ON COLUMN public.assets.decommissioned_at IS 'Out of use since; no snapshot after it.';

COMMENT ON COLUMN public.assets.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.assets.updated_at IS 'Instant of the last change.';

ALTER TABLE public.assets ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.assets_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    organization_id text,
    client_id text,
    grant_id text,
    staff text,
    act text NOT NULL,
    object_id text,
    route text,
    reason text,
    result text NOT NULL,
    request_id uuid,
    address text,
    before jsonb,
    after jsonb
);

ALTER TABLE ONLY public.audit_log FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log OWNER TO voltstream_owner;

COMMENT ON TABLE public.audit_log IS 'Writes, reads of personal data, tokens and acts of staff; ids only, kept for 24 months.';

COMMENT ON COLUMN public.audit_log.id IS 'Order of writing.';

COMMENT ON COLUMN public.audit_log.at IS 'Instant of the transaction it was written in.';

COMMENT ON COLUMN public.audit_log.organization_id IS 'The tenant; null: none.';

COMMENT ON COLUMN public.audit_log.client_id IS 'The acting client.';

COMMENT ON COLUMN public.audit_log.grant_id IS 'The grant of its token.';

COMMENT ON COLUMN public.audit_log.staff IS 'The acting member of staff, on the command line.';

COMMENT ON COLUMN public.audit_log.act IS 'What was done: noun and verb.';

COMMENT ON COLUMN public.audit_log.object_id IS 'Id of what it was done to.';

COMMENT ON COLUMN public.audit_log.route IS 'Method and path pattern, or the command.';

COMMENT ON COLUMN public.audit_log.reason IS 'The reason that staff gave.';

COMMENT ON COLUMN public.audit_log.result IS 'How it ended.';

COMMENT ON COLUMN public.audit_log.request_id IS 'Id of the request, as in the answer.';

COMMENT ON COLUMN public.audit_log.address IS 'Shortened network address of the caller.';

COMMENT ON COLUMN public.audit_log.before IS 'Security settings before the change.';

COMMENT ON COLUMN public.audit_log.after IS 'Security settings after the change.';

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.audit_seals (
    day date NOT NULL,
    rows bigint NOT NULL,
    hash bytea NOT NULL,
    previous_hash bytea,
    sealed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_seals_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT audit_seals_previous_hash_check CHECK ((octet_length(previous_hash) = 32))
);

ALTER TABLE public.audit_seals OWNER TO voltstream_owner;

COMMENT ON TABLE public.audit_seals IS 'Hash chain over the days of audit_log.';

COMMENT ON COLUMN public.audit_seals.day IS 'The day in UTC.';

COMMENT ON COLUMN public.audit_seals.rows IS 'Number of its rows.';

COMMENT ON COLUMN public.audit_seals.hash IS 'SHA-256 over the previous hash and the hashes of the rows.';

COMMENT ON COLUMN public.audit_seals.previous_hash IS 'Hash of the seal before; null on the first.';

COMMENT ON COLUMN public.audit_seals.sealed_at IS 'Instant of sealing.';

CREATE TABLE public.client_secrets (
    organization_id text NOT NULL,
    id bigint NOT NULL,
    client_id text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT client_secrets_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);

ALTER TABLE ONLY public.client_secrets FORCE ROW LEVEL SECURITY;

ALTER TABLE public.client_secrets OWNER TO voltstream_owner;

COMMENT ON TABLE public.client_secrets IS 'Secrets of clients, hashed; several may be valid at once.';

COMMENT ON COLUMN public.client_secrets.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.client_secrets.id IS 'Names the secret towards operators.';

COMMENT ON COLUMN public.client_secrets.client_id IS 'Whose secret it is.';

COMMENT ON COLUMN public.client_secrets.secret_hash IS 'HMAC-SHA-256 of the secret under the pepper, 32 bytes.';

COMMENT ON COLUMN public.client_secrets.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.client_secrets.expires_at IS 'End of the overlap after an exchange; null: no end.';

COMMENT ON COLUMN public.client_secrets.revoked_at IS 'Refused since.';

ALTER TABLE public.client_secrets ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.client_secrets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.customers (
    organization_id text NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    company_name text,
    email text NOT NULL,
    vat_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT customers_check CHECK (((type = 'company'::text) = (company_name IS NOT NULL))),
    CONSTRAINT customers_id_check CHECK ((id ~ '^cus_[0-9a-z]{24}$'::text)),
    CONSTRAINT customers_type_check CHECK ((type = ANY (ARRAY['person'::text, 'company'::text])))
);

ALTER TABLE ONLY public.customers FORCE ROW LEVEL SECURITY;

ALTER TABLE public.customers OWNER TO voltstream_owner;

COMMENT ON TABLE public.customers IS 'People and companies that an organization supplies.';

COMMENT ON COLUMN public.customers.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.customers.id IS 'cus_ and 24 random characters.';

COMMENT ON COLUMN public.customers.type IS 'person or company.';

COMMENT ON COLUMN public.customers.first_name IS 'Given name. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.last_name IS 'Family name. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.company_name IS 'Company; null for persons.';

COMMENT ON COLUMN public.customers.email IS 'As spelt at sign-up, compared without regard to case. Personal; for the supply contract; until erased.';

COMMENT ON COLUMN public.customers.vat_id IS 'VAT id, unchecked. Personal; for invoices; until erased.';

COMMENT ON COLUMN public.customers.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.customers.updated_at IS 'Instant of the last change.';

CREATE TABLE public.households (
    organization_id text NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    address_id text,
    display_name text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT households_id_check CHECK ((id ~ '^dom_[0-9a-z]{24}$'::text))
);

ALTER TABLE ONLY public.households FORCE ROW LEVEL SECURITY;

ALTER TABLE public.households OWNER TO voltstream_owner;

COMMENT ON TABLE public.households IS 'Places of delivery: what assets belong to.';

COMMENT ON COLUMN public.households.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.households.id IS 'dom_ and 24 random characters.';

COMMENT ON COLUMN public.households.customer_id IS 'The customer who lives there.';

COMMENT ON COLUMN public.households.address_id IS 'Address of delivery; null when unknown.';

COMMENT ON COLUMN public.households.display_name IS 'Set by the operator only. Personal; to tell places apart; until erased.';

COMMENT ON COLUMN public.households.created_at IS 'Instant of creation.';

COMMENT ON COLUMN public.households.updated_at IS 'Instant of the last change.';

CREATE TABLE public.idempotency_keys (
    organization_id text NOT NULL,
    client_id text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL,
    status integer NOT NULL,
    response json NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_body_hash_check CHECK ((octet_length(body_hash) = 32)),
    CONSTRAINT idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys OWNER TO voltstream_owner;

COMMENT ON TABLE public.idempotency_keys IS 'First answers of creating calls, repeated for 24 hours.';

COMMENT ON COLUMN public.idempotency_keys.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.idempotency_keys.client_id IS 'The client that sent the key.';

COMMENT ON COLUMN public.idempotency_keys.route IS 'Method and path pattern.';

COMMENT ON COLUMN public.idempotency_keys.key IS 'The header as sent.';

COMMENT ON COLUMN public.idempotency_keys.body_hash IS 'SHA-256 of the body: the same key with another body is a conflict.';

COMMENT ON COLUMN public.idempotency_keys.status IS 'HTTP status of the first answer.';

COMMENT ON COLUMN public.idempotency_keys.response IS 'Body of the first answer; json keeps its text as it was.';

COMMENT ON COLUMN public.idempotency_keys.created_at IS 'Instant of the first call; kept for 24 hours.';

CREATE TABLE public.job_runs (
    id bigint NOT NULL,
    schedule text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    fence integer DEFAULT 0 NOT NULL,
    heartbeat_at timestamp with time zone,
    queued_at timestamp with time zone DEFAULT now() NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    result jsonb,
    CONSTRAINT job_runs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE public.job_runs OWNER TO voltstream_owner;

COMMENT ON TABLE public.job_runs IS 'Ticks that fell due, and what became of them.';

COMMENT ON COLUMN public.job_runs.id IS 'Names the run in the queue.';

COMMENT ON COLUMN public.job_runs.schedule IS 'The schedule it belongs to.';

COMMENT ON COLUMN public.job_runs.due_at IS 'The instant it fell due, whenever it runs.';

COMMENT ON COLUMN public.job_runs.state IS 'queued, running, done or failed.';

COMMENT ON COLUMN public.job_runs.fence IS 'Raised with each start: a process that was overtaken cannot write its end.';

COMMENT ON COLUMN public.job_runs.heartbeat_at IS 'Last sign of life of the process that runs it.';

COMMENT ON COLUMN public.job_runs.queued_at IS 'Listed as due at.';

COMMENT ON COLUMN public.job_runs.next_at IS 'From here on it is handed to the queue, again if it got lost there.';

COMMENT ON COLUMN public.job_runs.started_at IS 'Last started at.';

COMMENT ON COLUMN public.job_runs.finished_at IS 'Ended at.';

COMMENT ON COLUMN public.job_runs.attempts IS 'How often it was handed to the queue.';

COMMENT ON COLUMN public.job_runs.error IS 'What the last failure said.';

COMMENT ON COLUMN public.job_runs.result IS 'What the run reported.';

ALTER TABLE public.job_runs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.job_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.refresh_tokens (
    hash bytea NOT NULL,
    organization_id text NOT NULL,
    grant_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT refresh_tokens_hash_check CHECK ((octet_length(hash) = 32))
);

ALTER TABLE ONLY public.refresh_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE public.refresh_tokens OWNER TO voltstream_owner;

COMMENT ON TABLE public.refresh_tokens IS 'Refresh tokens, hashed; each use ends one and makes the next.';

COMMENT ON COLUMN public.refresh_tokens.hash IS 'HMAC-SHA-256 of the token under the pepper, 32 bytes.';

COMMENT ON COLUMN public.refresh_tokens.organization_id IS 'The tenant.';

COMMENT ON COLUMN public.refresh_tokens.grant_id IS 'Its family.';

COMMENT ON COLUMN public.refresh_tokens.created_at IS 'Instant of issue.';

COMMENT ON COLUMN public.refresh_tokens.expires_at IS '30 days after issue, 180 days after the beginning of the grant at the latest.';

COMMENT ON COLUMN public.refresh_tokens.used_at IS 'Rotated at; using it again kills the family.';

CREATE TABLE public.schedules (
    id text NOT NULL,
    cron text NOT NULL,
    time_zone text NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    catch_up text NOT NULL,
    max_age_seconds integer,
    enabled boolean DEFAULT true NOT NULL,
    last_due_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schedules_catch_up_check CHECK ((catch_up = ANY (ARRAY['all'::text, 'last'::text, 'skip'::text]))),
    CONSTRAINT schedules_max_age_seconds_check CHECK ((max_age_seconds > 0))
);

ALTER TABLE public.schedules OWNER TO voltstream_owner;

COMMENT ON TABLE public.schedules IS 'Repeating work: one row per line of workers/schedules.ts.';

COMMENT ON COLUMN public.schedules.id IS 'Name of the schedule.';

COMMENT ON COLUMN public.schedules.cron IS 'Pattern with seconds, in the schedule''s time zone.';

COMMENT ON COLUMN public.schedules.time_zone IS 'IANA name of the time zone.';

COMMENT ON COLUMN public.schedules.payload IS 'Handed to the job; ids and dates only.';

COMMENT ON COLUMN public.schedules.catch_up IS 'Missed ticks after a stop: all, last, or skip.';

COMMENT ON COLUMN public.schedules.max_age_seconds IS 'Older missed ticks are left out, in seconds; null: none is too old.';

COMMENT ON COLUMN public.schedules.enabled IS 'Whether ticks fall due.';

COMMENT ON COLUMN public.schedules.last_due_at IS 'Ticks up to here have been listed.';

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.schema_migrations OWNER TO voltstream_owner;

COMMENT ON TABLE public.schema_migrations IS 'Files of sql/ that ran in this database.';

COMMENT ON COLUMN public.schema_migrations.name IS 'Folder and file.';

COMMENT ON COLUMN public.schema_migrations.sha256 IS 'Hash of the text that ran.';

COMMENT ON COLUMN public.schema_migrations.applied_at IS 'Instant of the run.';

CREATE TABLE public.signing_keys (
    kid text NOT NULL,
    public_jwk jsonb NOT NULL,
    private_key_encrypted bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    signs_from timestamp with time zone NOT NULL,
    signs_until timestamp with time zone,
    removed_at timestamp with time zone,
    CONSTRAINT signing_keys_check CHECK ((signs_until > signs_from))
);

ALTER TABLE public.signing_keys OWNER TO voltstream_owner;

COMMENT ON TABLE public.signing_keys IS 'Key pairs that sign access tokens.';

COMMENT ON COLUMN public.signing_keys.kid IS 'Thumbprint of the public key (RFC 7638).';

COMMENT ON COLUMN public.signing_keys.public_jwk IS 'The public key as published.';

COMMENT ON COLUMN public.signing_keys.private_key_encrypted IS 'The private key under the key of the configuration.';

COMMENT ON COLUMN public.signing_keys.created_at IS 'Instant of creation; published from here on.';

COMMENT ON COLUMN public.signing_keys.signs_from IS 'Signs from here on; later than creation, so that clients have fetched it.';

COMMENT ON COLUMN public.signing_keys.signs_until IS 'Signs until here; null: not yet replaced.';

COMMENT ON COLUMN public.signing_keys.removed_at IS 'No longer published since.';

CREATE VIEW public.visible_snapshots WITH (security_barrier='true') AS
 SELECT s.asset_id,
    s."timestamp",
    s.power_kw,
    s.state_of_charge,
    s.connected,
    s.vehicle_state_of_charge,
    s.created_at,
    a.id AS asset,
    a.household_id AS household
   FROM (public.asset_snapshots s
     JOIN public.assets a ON ((a.key = s.asset_id)));

ALTER VIEW public.visible_snapshots OWNER TO voltstream_snapshot_reader;

COMMENT ON VIEW public.visible_snapshots IS 'Snapshots of the assets that the set organization, or customer, may see.';

COMMENT ON COLUMN public.visible_snapshots.asset_id IS 'Internal key of the asset: assets.key. Never null.';

COMMENT ON COLUMN public.visible_snapshots."timestamp" IS 'Instant of the measurement, to the microsecond. Never null.';

COMMENT ON COLUMN public.visible_snapshots.power_kw IS 'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative.';

COMMENT ON COLUMN public.visible_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1.';

COMMENT ON COLUMN public.visible_snapshots.connected IS 'Whether a vehicle is connected to the wallbox.';

COMMENT ON COLUMN public.visible_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1.';

COMMENT ON COLUMN public.visible_snapshots.created_at IS 'Instant of storing. Never null.';

COMMENT ON COLUMN public.visible_snapshots.asset IS 'Id of the asset, ast_. Never null.';

COMMENT ON COLUMN public.visible_snapshots.household IS 'Id of the household, dom_. Never null.';

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_organization_id_customer_id_id_key UNIQUE (organization_id, customer_id, id);

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_key_key UNIQUE (key);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_external_id_key UNIQUE (organization_id, external_id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_household_id_id_key UNIQUE (organization_id, household_id, id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_seals
    ADD CONSTRAINT audit_seals_pkey PRIMARY KEY (day);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_id_key UNIQUE (id);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.client_secrets
    ADD CONSTRAINT client_secrets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_id_key UNIQUE (id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_organization_id_id_customer_id_key UNIQUE (organization_id, id, customer_id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, client_id, route, key);

ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_schedule_due_at_key UNIQUE (schedule, due_at);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);

CREATE UNIQUE INDEX asset_snapshots_asset_id_timestamp_key ON public.asset_snapshots USING btree (asset_id, "timestamp");

CREATE INDEX assets_newest_first ON public.assets USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX assets_of_household ON public.assets USING btree (organization_id, household_id, created_at DESC, id DESC);

CREATE INDEX assets_of_parent ON public.assets USING btree (organization_id, parent_inverter, created_at DESC, id DESC) WHERE (parent_inverter IS NOT NULL);

CREATE UNIQUE INDEX assets_one_of_each_household_asset ON public.assets USING btree (organization_id, household_id, type) WHERE (type = ANY (ARRAY['household_net'::text, 'household_residual'::text]));

CREATE INDEX audit_log_by_time ON public.audit_log USING btree (at);

CREATE INDEX audit_log_of_organization ON public.audit_log USING btree (organization_id, at);

CREATE INDEX client_secrets_of_client ON public.client_secrets USING btree (organization_id, client_id);

CREATE INDEX customers_newest_first ON public.customers USING btree (organization_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX customers_organization_id_email_key ON public.customers USING btree (organization_id, lower(email));

CREATE INDEX grants_by_age ON public.grants USING btree (organization_id, created_at);

CREATE INDEX grants_of_client ON public.grants USING btree (organization_id, client_id);

CREATE INDEX households_newest_first ON public.households USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX households_of_customer ON public.households USING btree (organization_id, customer_id, created_at DESC, id DESC);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (organization_id, created_at);

CREATE INDEX job_runs_unfinished ON public.job_runs USING btree (state, next_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX refresh_tokens_by_expiry ON public.refresh_tokens USING btree (organization_id, expires_at);

CREATE INDEX refresh_tokens_of_grant ON public.refresh_tokens USING btree (organization_id, grant_id);

ALTER TABLE ONLY public.addresses
    ADD CONSTRAINT addresses_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_household_id_customer_id_fkey FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES public.households(organization_id, id, customer_id);

ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_organization_id_household_id_parent_inverter_fkey FOREIGN KEY (organization_id, household_id, parent_inverter) REFERENCES public.assets(organization_id, household_id, id);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.auth_clients
    ADD CONSTRAINT auth_clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.client_secrets
    ADD CONSTRAINT client_secrets_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_organization_id_customer_id_address_id_fkey FOREIGN KEY (organization_id, customer_id, address_id) REFERENCES public.addresses(organization_id, customer_id, id);

ALTER TABLE ONLY public.households
    ADD CONSTRAINT households_organization_id_customer_id_fkey FOREIGN KEY (organization_id, customer_id) REFERENCES public.customers(organization_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES public.auth_clients(organization_id, id);

ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_schedule_fkey FOREIGN KEY (schedule) REFERENCES public.schedules(id);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_organization_id_grant_id_fkey FOREIGN KEY (organization_id, grant_id) REFERENCES public.grants(organization_id, id);

CREATE POLICY across_organizations ON public.audit_log FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.auth_clients FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.grants FOR SELECT TO voltstream_system_reader USING (true);

CREATE POLICY across_organizations ON public.organizations FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE public.addresses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.assets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.auth_clients ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.client_secrets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.grants ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.households ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organizations ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_organization ON public.organizations USING ((id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")));

CREATE POLICY own_rows ON public.addresses USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.assets USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.audit_log USING ((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif"))) WITH CHECK ((NOT (organization_id IS DISTINCT FROM ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif"))));

CREATE POLICY own_rows ON public.auth_clients USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.client_secrets USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

CREATE POLICY own_rows ON public.customers USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.grants USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.households USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND ((( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL) OR (customer_id = ( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif")))));

CREATE POLICY own_rows ON public.idempotency_keys USING ((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")));

CREATE POLICY own_rows ON public.refresh_tokens USING (((organization_id = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif")) AND (( SELECT NULLIF(current_setting('app.customer'::text, true), ''::text) AS "nullif") IS NULL)));

ALTER TABLE public.refresh_tokens ENABLE ROW LEVEL SECURITY;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO voltstream_app;
GRANT USAGE ON SCHEMA public TO voltstream_maintenance;
GRANT USAGE ON SCHEMA public TO voltstream_snapshot_reader;
GRANT USAGE ON SCHEMA public TO voltstream_system_reader;
GRANT USAGE ON SCHEMA public TO voltstream_analyst_reader;

REVOKE ALL ON FUNCTION public.audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_seal_problems(first_day date, last_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_seal_problems(first_day date, last_day date) TO voltstream_app;

REVOKE ALL ON FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_audit_rows(older_than timestamp with time zone, rows_max integer) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_old_snapshot_chunks(older_than timestamp with time zone) TO voltstream_maintenance;

REVOKE ALL ON FUNCTION public.erase_asset_snapshots(asset_key bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_asset_snapshots(asset_key bigint) TO voltstream_maintenance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.auth_clients TO voltstream_app;
GRANT SELECT ON TABLE public.auth_clients TO voltstream_system_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.grants TO voltstream_app;
GRANT SELECT ON TABLE public.grants TO voltstream_system_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organizations TO voltstream_app;
GRANT SELECT ON TABLE public.organizations TO voltstream_system_reader;

REVOKE ALL ON FUNCTION public.find_access(grant_id text, client_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_access(grant_id text, client_id text) TO voltstream_app;

REVOKE ALL ON FUNCTION public.find_client(client_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_client(client_id text) TO voltstream_app;

REVOKE ALL ON FUNCTION public.list_organizations() FROM PUBLIC;
GRANT ALL ON FUNCTION public.list_organizations() TO voltstream_app;

REVOKE ALL ON FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.newest_snapshots(households text[], asset_ids text[], since timestamp with time zone, after_timestamp timestamp with time zone, after_asset text, page_rows integer) TO voltstream_app;

REVOKE ALL ON FUNCTION public.seal_audit_days() FROM PUBLIC;
GRANT ALL ON FUNCTION public.seal_audit_days() TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.addresses TO voltstream_app;

GRANT INSERT ON TABLE public.asset_snapshots TO voltstream_app;
GRANT SELECT ON TABLE public.asset_snapshots TO voltstream_snapshot_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.assets TO voltstream_app;
GRANT SELECT ON TABLE public.assets TO voltstream_snapshot_reader;

GRANT INSERT ON TABLE public.audit_log TO voltstream_app;
GRANT SELECT ON TABLE public.audit_log TO voltstream_system_reader;

GRANT SELECT ON TABLE public.audit_seals TO voltstream_app;
GRANT SELECT,INSERT ON TABLE public.audit_seals TO voltstream_system_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE public.client_secrets TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.customers TO voltstream_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.households TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job_runs TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.refresh_tokens TO voltstream_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.schedules TO voltstream_app;

GRANT SELECT ON TABLE public.schema_migrations TO voltstream_app;
GRANT SELECT ON TABLE public.schema_migrations TO voltstream_maintenance;

GRANT SELECT,INSERT,UPDATE ON TABLE public.signing_keys TO voltstream_app;

GRANT SELECT ON TABLE public.visible_snapshots TO voltstream_app;
