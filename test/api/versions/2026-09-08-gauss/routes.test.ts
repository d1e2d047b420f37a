import { describeRoutes } from '../availability.ts';

describeRoutes('2026-09-08.gauss');
