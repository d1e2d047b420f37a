// Writes docs/architecture.svg: the folders of src and workers, and who imports whom.
// `node scripts/node.mjs scripts/write-architecture.ts`; a test compares the file with the imports.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { architectureDrawing } from './architecture/drawing.ts';
import { readFolders, readRooms } from './architecture/folders.ts';
import { projectFolder } from './data-folder.mjs';

export const architectureFile = join(projectFolder, 'docs', 'architecture.svg');

export const architectureSource = () => architectureDrawing(readFolders(), readRooms());

if (import.meta.main) await writeFile(architectureFile, architectureSource());
