-- Documents without a deadline that failed by a defect are counted each minute, over all organizations. There are mostly none.
CREATE INDEX billing_refusals_defect ON billing_refusals (organization_id) WHERE code = 'defect' AND deadline IS NULL;
