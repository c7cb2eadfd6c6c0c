import type { FailedItem } from '../../../cache/store.js'

/** The number of docs with a failed request, by task. */
export function failedDocs(failures: readonly FailedItem[]): ReadonlyMap<string, number> {
  const docs = new Map<string, Set<number>>()
  for (const { task, index } of failures) docs.set(task, (docs.get(task) ?? new Set()).add(index))
  return new Map([...docs].map(([task, indices]) => [task, indices.size]))
}
