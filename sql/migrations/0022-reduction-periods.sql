-- Which modules of section 14a EnWG a contract may have on one day (BNetzA, BK8-22/010-A): none twice, and module 2 beside no
-- other. Module 1 is the range [1, 2), 3 is [2, 3), and 2 is both together: two rows whose ranges meet exclude each other. The
-- rules are asked before dates are stored, with the contract held; the constraint holds these two against everybody else.
-- Stored rows that break it stop this migration: which of two reductions held, the grid operator says (docs/deployment.md).
ALTER TABLE grid_fee_reductions ADD CONSTRAINT grid_fee_reductions_periods EXCLUDE USING gist (
  organization_id WITH =,
  subscription_id WITH =,
  (CASE type
     WHEN 'enwg-14a-module-1' THEN int4range(1, 2)
     WHEN 'enwg-14a-module-3' THEN int4range(2, 3)
     ELSE int4range(1, 3)
   END) WITH &&,
  tstzrange(valid_from, valid_until, '[)') WITH &&
) WHERE (valid_from IS NOT NULL AND (valid_until IS NULL OR valid_until > valid_from));

-- Module 3 holds only while module 1 does. Until now it went on when module 1 ended or was refused: it ends where module 1
-- did, and where there was none it never held.
WITH module_1 AS (
  SELECT organization_id, subscription_id,
         range_agg(tstzrange(valid_from, valid_until, '[)'))
           FILTER (WHERE valid_from IS NOT NULL AND (valid_until IS NULL OR valid_until > valid_from)) AS periods,
         bool_or(status IN ('intended', 'ordered', 'activated')) AS is_open
    FROM grid_fee_reductions
   WHERE type = 'enwg-14a-module-1'
   GROUP BY organization_id, subscription_id
), cut AS (
  SELECT module_3.organization_id, module_3.id,
         CASE WHEN module_3.valid_from IS NULL THEN now()
              ELSE coalesce((SELECT upper(period) FROM unnest(module_1.periods) AS period
                              WHERE period @> module_3.valid_from),
                            module_3.valid_from)
         END AS valid_until
    FROM grid_fee_reductions AS module_3
    LEFT JOIN module_1 USING (organization_id, subscription_id)
   WHERE module_3.type = 'enwg-14a-module-3'
     AND CASE WHEN module_3.valid_from IS NULL
              THEN module_3.status IN ('intended', 'ordered') AND NOT coalesce(module_1.is_open, false)
              ELSE (module_3.valid_until IS NULL OR module_3.valid_until > module_3.valid_from)
                   AND NOT coalesce(tstzrange(module_3.valid_from, module_3.valid_until, '[)') <@ module_1.periods, false)
         END
)
UPDATE grid_fee_reductions AS reduction
   SET status = 'ended', valid_until = cut.valid_until, updated_at = now()
  FROM cut
 WHERE (reduction.organization_id, reduction.id) = (cut.organization_id, cut.id);
