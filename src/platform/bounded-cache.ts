/** Keeps the most recently used values up to a size, in whatever their users count; the least recently used one leaves first. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, { value: Value; size: number }>();
  readonly #sizeMax: number;
  #size = 0;
  /** Not moved to the end, where it is: a value that everybody asks for would be moved with each request. */
  #newest: string | undefined;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (key === this.#newest) return entry.value;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#newest = key;
    return entry.value;
  }

  set(key: string, value: Value, size = 1): void {
    this.delete(key);
    /* It would drive out everything else and then itself. */
    if (size > this.#sizeMax) return;
    this.#entries.set(key, { value, size });
    this.#newest = key;
    this.#size += size;
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#sizeMax) return;
      this.#remove(oldest, entry.size);
    }
  }

  delete(key: string): void {
    const known = this.#entries.get(key);
    if (known !== undefined) this.#remove(key, known.size);
  }

  clear(): void {
    this.#entries.clear();
    this.#newest = undefined;
    this.#size = 0;
  }

  #remove(key: string, size: number): void {
    this.#entries.delete(key);
    this.#size -= size;
  }
}
