import { expect, test } from 'vitest'
import { prepareTask } from '../../../stages/input/prepare-task.js'
import type { DraftMessage } from '../../../stages/input/render/messages.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import { goldenRows } from '../../support/golden.js'
import { temporaryFolder } from './temp-folder.js'

/** A task's keys with the prompts that lm-evaluation-harness 0.4.13 makes of them (tests/golden/tasks/README.md). */
interface PromptRow {
  readonly id: string
  readonly keys: Readonly<Record<string, unknown>>
  readonly shots: number
  readonly form: 'text' | 'chat' | 'turns'
  readonly docs: readonly {
    readonly context: string | readonly { readonly role: string; readonly content: string }[]
    readonly continuations?: readonly string[]
  }[]
}

const folder = temporaryFolder()
const [data, ...rows] = goldenRows<unknown>('tasks/lm-eval-prompts.jsonl.gz')
const { docs: splits } = data as { readonly docs: Readonly<Record<string, readonly object[]>> }

/**
 * In a chat the description is a message of the system there, choices are continued after a message of the model, a template keeps the
 * newline at its end, and an example without an answer has no turn of the model.
 */
const isComparable = ({ form, keys }: PromptRow): boolean =>
  form === 'text' ||
  (keys['description'] === undefined &&
    keys['output_type'] === undefined &&
    !/"doc_to_text":"[^"]*\\n"/.test(JSON.stringify(keys)))

test.each((rows as readonly PromptRow[]).filter(isComparable))(
  'renders the same prompts as lm-evaluation-harness: $id',
  async ({ keys, shots, form, docs }) => {
    for (const [name, list] of Object.entries(splits))
      await folder.write(`data/${name}.jsonl`, list.map(doc => JSON.stringify(doc)).join('\n'))
    const file = await folder.write('t.yaml', JSON.stringify({ task: 't', ...keys }))
    const task = await loadTask(file, { cacheDir: folder.path('cache') })
    const prompting = { numFewshot: shots, form: form === 'text' ? 'text' : 'chat', asTurns: form === 'turns' } as const
    const prepared = await prepareTask(task, prompting)
    const choose = prepared.examples?.()
    const found = []
    for await (const doc of prepared.docs()) {
      const rendered = prepared.renderer.render(doc, choose?.(doc))
      if (rendered.type === 'failed') throw new Error(rendered.reason)
      const { messages, continuations } = rendered
      found.push({
        context:
          form === 'text'
            ? messages.map(textOf).join('')
            : messages.map(one => ({ role: one.role, content: textOf(one) })),
        ...(continuations[0] === undefined ? {} : { continuations }),
      })
    }
    expect(found).toEqual(docs)
  },
)

const textOf = ({ content }: DraftMessage): string =>
  content.map(part => (part.type === 'text' ? part.text : '')).join('')
