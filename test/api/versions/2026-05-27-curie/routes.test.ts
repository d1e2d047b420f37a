import { describeRoutes } from '../availability.ts';

describeRoutes('2026-05-27.curie');
