export { settleUsage } from './settle.ts';
