import { describeRoutes } from '../availability.ts';

describeRoutes('2025-12-16.batman');
