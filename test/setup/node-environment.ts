/**
 * What a process of the pinned Node needs from the caller's environment, and nothing else: a machine without a compiler
 * lacks a library that the launcher has put into a folder of its own, and what was compiled before need not be again.
 */
export function nodeEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'].map(
    (name) => [name, process.env[name]] as const,
  );
  return Object.fromEntries(kept.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
