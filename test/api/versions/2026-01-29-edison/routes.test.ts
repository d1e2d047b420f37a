import { describeRoutes } from '../availability.ts';

describeRoutes('2026-01-29.edison');
