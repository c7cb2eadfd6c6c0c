import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../base/values/canonical-json.js'
import type { Aggregate, AnsweredDoc, ScoreBody } from '../../cache/records.js'
import type { DraftMessage } from '../../stages/input/render/messages.js'
import { makeRenderer, type Rendered } from '../../stages/input/render/renderer.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { openRuntime } from '../../src/evaluation/code-runtime.js'
import { judgedBy } from './judged.js'
import { makeTaskScorer } from '../../src/judging/scoring.js'
import { mediumText } from './golden-media.js'

/** A built-in task, for tests with their own docs. */
export interface BuiltinTask {
  readonly task: Task
  /** Returns the texts of the prompt, with media as `<image 16x12>`. */
  readonly prompt: (doc: Doc, model?: string) => string
  readonly target: (doc: Doc) => Json
  /** Scores one answer, or several samples. */
  readonly score: (doc: Doc, answer: string | readonly string[]) => Promise<ScoreBody>
  /** Returns the aggregates of the whole task. */
  readonly aggregates: (bodies: readonly ScoreBody[]) => Readonly<Record<string, Aggregate['value']>>
}

export async function builtinTask(
  name: string,
  { ask, env = {} }: { readonly ask?: AskJudge; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<BuiltinTask> {
  const cacheDir = mkdtempSync(join(tmpdir(), 'builtin-task-'))
  try {
    const [task] = await resolveTasks([name], { cacheDir, emit: () => undefined, includePaths: [builtinTasks] })
    if (task === undefined) throw new Error(`no task ${name}`)
    const scorer = await makeTaskScorer(task.name, task.scoring, {
      cacheDir,
      exported: [],
      runtime: openRuntime({ env, includePaths: [] }),
      ...(ask === undefined ? {} : { judges: judgedBy(ask) }),
    })
    return {
      task,
      prompt: (doc, model) => textOf(rendered(task, doc, model).messages),
      target: doc => rendered(task, doc).record.target,
      score: async (doc, answer) => scorer.score(answered(task, doc, [answer].flat())),
      aggregates: bodies => {
        const all = scorer.aggregate(bodies, { docs: bodies.length }).filter(({ group }) => group === undefined)
        return Object.fromEntries(all.map(({ metric, value }) => [metric, value]))
      },
    }
  } finally {
    rmSync(cacheDir, { recursive: true, force: true })
  }
}

function rendered(task: Task, doc: Doc, model?: string): Extract<Rendered, { type: 'rendered' }> {
  const made = makeRenderer(task, Object.keys(doc), model === undefined ? {} : { models: [model] }).render(doc)
  if (made.type === 'failed') throw new Error(made.reason)
  return made
}

const textOf = (messages: readonly DraftMessage[]): string =>
  messages
    .flatMap(({ content }) => content)
    .map(part => (part.type === 'text' ? part.text : `<${mediumText(part.source)}>`))
    .join('')

function answered(task: Task, doc: Doc, answers: readonly string[]): AnsweredDoc {
  const bodies = answers.map((text, sample) => ({ choice: 0, sample, body: { text, finishReason: 'stop' } }))
  return { record: rendered(task, doc).record, answers: bodies } as unknown as AnsweredDoc
}
