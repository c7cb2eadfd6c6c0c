import type { Run } from '../../../../cache/records.js'
import type { FailedItem } from '../../../../cache/store.js'
import type { DocRef, FailureClass } from '../data/index.js'

const mostMessages = 5
const mostDocs = 20
const longestMessage = 2_000

/** Failed requests by class, the most frequent first, with their most frequent messages and a few of their docs. */
export function failureClasses(run: Run, failures: readonly FailedItem[]): readonly FailureClass[] {
  const taskNumbers = new Map(run.asked.tasks.map(({ name }, number) => [name, number]))
  const classes = new Map<string, FailedItem[]>()
  for (const item of failures) {
    const known = classes.get(item.failure.class)
    if (known === undefined) classes.set(item.failure.class, [item])
    else known.push(item)
  }
  return [...classes]
    .map(([name, items]) => ({
      class: name,
      requests: items.length,
      messages: frequentMessages(items),
      docs: someDocs(items, taskNumbers),
    }))
    .sort((a, b) => b.requests - a.requests)
}

function frequentMessages(items: readonly FailedItem[]): FailureClass['messages'] {
  const counts = new Map<string, number>()
  for (const { failure } of items) counts.set(failure.message, (counts.get(failure.message) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostMessages)
    .map(([message, requests]) => ({ message: message.slice(0, longestMessage), requests }))
}

function someDocs(items: readonly FailedItem[], taskNumbers: ReadonlyMap<string, number>): readonly DocRef[] {
  const docs = new Map<string, DocRef>()
  for (const { task: name, index, doc } of items) {
    const task = taskNumbers.get(name)
    if (task !== undefined) docs.set(`${task} ${index}`, { task, index, id: doc })
    if (docs.size >= mostDocs) break
  }
  return [...docs.values()]
}
