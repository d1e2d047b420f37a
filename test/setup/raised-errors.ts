import { administrator } from './administrator.ts';
import type { TestDatabase } from './database.ts';

/** Statements of this kind on this table fail in the server with a condition of PostgreSQL, the first `times` of them. */
export class RaisedErrors {
  readonly #adminUrl: string;
  #count = 0;

  constructor(database: Pick<TestDatabase, 'adminUrl'>) {
    this.#adminUrl = database.adminUrl;
  }

  async raise(
    table: string,
    condition: string,
    {
      on = 'INSERT',
      times,
      atCommit = false,
    }: { on?: 'INSERT' | 'UPDATE'; times: number; atCommit?: boolean },
  ): Promise<RaisedError> {
    this.#count += 1;
    const name = `raised_${this.#count}`;
    const head = atCommit
      ? `CREATE CONSTRAINT TRIGGER ${name} AFTER ${on} ON ${table} DEFERRABLE INITIALLY DEFERRED`
      : `CREATE TRIGGER ${name} BEFORE ${on} ON ${table}`;
    await this.#run(`
      CREATE SEQUENCE ${name};
      GRANT USAGE ON SEQUENCE ${name} TO PUBLIC;
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF nextval('${name}') <= ${times} THEN RAISE ${condition}; END IF; RETURN NEW; END $$;
      GRANT EXECUTE ON FUNCTION ${name} TO PUBLIC;
      ${head} FOR EACH ROW EXECUTE FUNCTION ${name}()`);
    return {
      attempts: async () => {
        const rows = await this.#run(
          `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS n FROM ${name}`,
        );
        return Number(rows[0]?.n);
      },
      end: async () => {
        await this.#run(`DROP TRIGGER ${name} ON ${table}; DROP FUNCTION ${name}; DROP SEQUENCE ${name}`);
      },
    };
  }

  async #run(text: string): Promise<{ n: string }[]> {
    return (await administrator(this.#adminUrl).query(text)).rows ?? [];
  }
}

export interface RaisedError {
  /** How often a statement came so far; a sequence does not go back with a transaction. */
  attempts(): Promise<number>;
  end(): Promise<void>;
}
