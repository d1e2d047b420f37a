/** Tells other parts of the same process that something changed, without either knowing the other. */
export interface Signal<Value> {
  emit(value: Value): void;
  /** Gives the function that ends the subscription. */
  subscribe(listener: (value: Value) => void): () => void;
}

/** Listeners run at once, in the order of their subscription; they must not throw. */
export function createSignal<Value>(): Signal<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    emit: (value) => {
      for (const listener of listeners) listener(value);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
