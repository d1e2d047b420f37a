import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { objectName } = wireSchemas;

export const newMagicLink = z.object({
  customerId: wireSchemas
    .text({ max: 255 })
    .meta({ description: 'Id of the customer whom the link lets in' }),
});

export const magicLink = z
  .object({
    object: objectName('magic_link'),
    link: z.url().meta({
      description: 'Works once within 15 minutes; `next` in it may be replaced by another path of the portal',
    }),
  })
  .meta({ id: 'MagicLink' });

export type NewMagicLink = z.output<typeof newMagicLink>;
export type MagicLink = z.input<typeof magicLink>;
