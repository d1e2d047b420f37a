import { describeRoutes } from '../availability.ts';

describeRoutes('2025-12-01.chucky');
