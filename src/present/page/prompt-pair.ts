import type { DocPlace, OpenedRun, Sample, Store } from '../../../cache/store.js'
import { sampleAt } from '../../reading/samples/sample-at.js'
import { sampleWithId } from '../../reading/samples/same-doc.js'
import type { PromptPair } from './data/index.js'
import { cutText } from './samples/texts.js'

/** Maximum length of a prompt in characters, so that the browser can compare its words. */
const longestPrompt = 10_000

/**
 * Reads the prompts of a doc in two runs.
 *
 * @param place the doc in the second run
 * @returns undefined if one of the runs does not have the doc
 */
export async function readPromptPair(
  store: Store,
  a: OpenedRun,
  b: OpenedRun,
  place: DocPlace,
): Promise<PromptPair | undefined> {
  const second = await sampleAt(store, b, place)
  const taskName = b.run.asked.tasks[place.task]?.name ?? ''
  const task = a.run.asked.tasks.findIndex(({ name }) => name === taskName)
  if (second === undefined || task === -1) return undefined
  const first = await sampleWithId(store, a, { task, index: place.index }, second.id)
  return first && { taskName, id: second.id, a: formatPrompt(first), b: formatPrompt(second) }
}

/** The messages of a doc's first request, with the role of each. A medium is named by its kind and the beginning of its digest. */
function formatPrompt({ items }: Sample): string {
  const input = items[0]?.request?.input
  const messages = (input?.messages ?? []).map(({ role, content }) => {
    const parts = content.map(part =>
      part.type === 'text' ? part.text : `[${part.type} ${part.media.replace(/^sha256:/, '').slice(0, 12)}]`,
    )
    return `${role}:\n${parts.join('\n')}`
  })
  const continuation = input?.continuation === undefined ? [] : [`continuation:\n${input.continuation}`]
  return cutText([...messages, ...continuation].join('\n\n'), longestPrompt)
}
