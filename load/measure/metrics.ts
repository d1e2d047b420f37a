import type { Service } from '../surroundings/service.ts';

/** The sum over all labels that are not part of the name; 0 for what was not measured yet. */
export async function metric({ baseUrl }: Pick<Service, 'baseUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
