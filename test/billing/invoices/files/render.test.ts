import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DocumentFacts } from '../../../../src/billing/invoices/calculate/fact-types.ts';
import { readDocuments } from '../../../../src/billing/invoices/documents/queries.ts';
import { renderInvoices } from '../../../../src/billing/invoices/files/render.ts';
import { voidInvoice } from '../../../../src/billing/invoices/issue/void.ts';
import type { JobRun } from '../../../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../../../src/platform/log/logger.ts';
import { codeFiles } from '../../../rules/project-files.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../../setup/clock.ts';
import { createBilledContract, issueDocument } from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { readPdf } from '../documents/pdf-reader.ts';
import { factsOfSample } from '../documents/sample-facts.ts';
import { smartUsage } from '../documents/samples.ts';

let clock: FakeClock;
let api: TestApi;
beforeAll(async () => {
  clock = fakeClock('2026-11-12T05:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api?.close());

type Contract = Awaited<ReturnType<typeof createBilledContract>>;

function factsOf({ number, customer }: Contract, given: Partial<DocumentFacts> = {}): DocumentFacts {
  const facts = factsOfSample(given);
  return {
    ...facts,
    contract: { ...facts.contract, number },
    recipient: { ...facts.recipient, customer },
  };
}

async function issued(contract: Contract, given: Partial<DocumentFacts> = {}, month = 0): Promise<string> {
  const { lines, sums } = smartUsage();
  const { id } = await issueDocument(api.deps, contract, {
    facts: factsOf(contract, given),
    lines,
    sums,
    month,
  });
  return id;
}

function runOf(organization: string, invoices: string[], signal = new AbortController().signal) {
  const closing = new AbortController().signal;
  const common = {
    id: 1,
    dueAt: '2026-11-12T05:30:00.000Z',
    log: createLogger({ level: 'silent', name: 'test' }),
  };
  return { ...common, organization, payload: { invoices }, signal, closing } satisfies JobRun<{
    invoices: string[];
  }>;
}

const render = (organization: string, invoices: string[]) =>
  renderInvoices(api.deps, runOf(organization, invoices));

interface FileRow {
  invoice_id: string;
  content: Buffer;
  sha256: Buffer;
}

const filesOf = (organization: string) =>
  storedRows<FileRow>(
    api,
    "SELECT invoice_id, content, sha256 FROM invoice_files WHERE organization_id = $1 AND kind = 'pdf' ORDER BY made_at",
    [organization],
  );

test('each document gets its file, once, with its hash; what another organization has is left alone', async () => {
  const contract = await createBilledContract(api.deps);
  const other = await createBilledContract(api.deps);
  const ids = [await issued(contract), await issued(contract, {}, 1)];
  const foreign = await issued(other);
  expect(await render(contract.organization, [...ids, foreign])).toEqual({
    made: 2,
    known: 0,
    without_e_invoice: 0,
  });
  const files = await filesOf(contract.organization);
  expect(files.map(({ invoice_id }) => invoice_id).toSorted()).toEqual(ids.toSorted());
  for (const { content, sha256 } of files) {
    expect(createHash('sha256').update(content).digest().equals(sha256)).toBe(true);
    expect((await readPdf(content)).text).toContain(`${contract.number}-00`);
  }
  expect(await filesOf(other.organization)).toEqual([]);
  clock.advance(60_000);
  expect(await render(contract.organization, ids)).toEqual({ made: 0, known: 2, without_e_invoice: 0 });
  expect(await filesOf(contract.organization)).toEqual(files);
});

test('the file of a company carries its e-invoice; one that breaks a rule of the standard is made without, and counted', async () => {
  const contract = await createBilledContract(api.deps);
  const recipient = {
    ...factsOfSample().recipient,
    type: 'company',
    companyName: 'Bäckerei & Söhne',
  } as const;
  const issuer = { ...factsOfSample().issuer, vatId: null, taxNumber: null };
  const whole = await issued(contract, { recipient });
  const broken = await issued(contract, { recipient, issuer }, 1);
  const made = { made: 2, known: 0, without_e_invoice: 1 };
  expect(await render(contract.organization, [whole, broken])).toEqual(made);
  const files = new Map(
    (await filesOf(contract.organization)).map((file) => [file.invoice_id, file.content]),
  );
  const attachedTo = async (id: string) => (await readPdf(files.get(id) ?? Buffer.of())).attachments;
  expect(await attachedTo(whole)).toEqual(['factur-x.xml']);
  expect(await attachedTo(broken)).toEqual([]);
});

test('a run that was killed half way goes on with what is missing', async () => {
  const contract = await createBilledContract(api.deps);
  const ids = [await issued(contract), await issued(contract, {}, 1)];
  const killed = runOf(contract.organization, ids, AbortSignal.abort(new Error('taken over')));
  await expect(renderInvoices(api.deps, killed)).rejects.toThrow('taken over');
  expect(await filesOf(contract.organization)).toEqual([]);
  expect(await render(contract.organization, ids.slice(0, 1))).toEqual({
    made: 1,
    known: 0,
    without_e_invoice: 0,
  });
  expect(await render(contract.organization, ids)).toEqual({ made: 1, known: 1, without_e_invoice: 0 });
});

test('a document is read as it was issued: lines, sums and rates as texts, and what it reverses or replaces', async () => {
  const contract = await createBilledContract(api.deps);
  const { organization, number } = contract;
  const id = await issued(contract);
  const reversal = await api.deps.database.inOrganization({ organization }, (connection) =>
    voidInvoice(connection, organization, id, { reason: 'a reading was replaced' }, clock),
  );
  const again = await issued(contract);
  const read = await api.deps.database.inOrganization({ organization }, (connection) =>
    readDocuments(connection, organization, [id, reversal.voiding.id, again]),
  );
  const documents = new Map(read.map((document) => [document.id, document]));
  const { lines, sums } = smartUsage();
  expect(documents.get(id)).toMatchObject({ lines, sums, voids: null, corrects: null });
  const first = { invoiceNumber: `${number}-001`, issuedOn: '2026-11-12' };
  expect(documents.get(reversal.voiding.id)).toMatchObject({ type: 'void', voids: first, corrects: null });
  expect(documents.get(again)).toMatchObject({ voids: null, corrects: first });
  await render(organization, [reversal.voiding.id]);
  const [file] = await filesOf(organization);
  expect((await readPdf(file?.content ?? Buffer.alloc(0))).text).toContain(`hebt ${number}-001 vom`);
});

test('the library that draws is loaded with the first document: no process carries it before', () => {
  const eager = codeFiles('src', 'workers').filter(({ path }) =>
    /^import (?!type)[^;]*from '(pdfkit|fontkit)'/m.test(readFileSync(path, 'utf8')),
  );
  expect(eager.map(({ path }) => path)).toEqual([]);
});
