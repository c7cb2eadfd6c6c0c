import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { codeKey } from '../../cache/keys.js'
import { openStore } from '../../cache/open.js'
import type { RunSpec, CodeManifest, ModelIdentity, Run, RunProvenance } from '../../cache/records.js'
import type { DraftDoc, Lease, Store } from '../../cache/store.js'
import { sha256 } from '../../cache/digest.js'

/** Creates a folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Creates an empty store that is closed and removed when the test ends. */
export async function temporaryStore(dir?: string): Promise<Store> {
  const store = await openStore(dir ?? (await temporaryFolder()))
  onTestFinished(() => store.close().catch(() => undefined))
  return store
}

export const testCode: CodeManifest = { files: { 'stages/model/backends/dummy.ts': 'a'.repeat(40) } }
export const testModel: ModelIdentity = { backend: 'dummy', args: {} }

export const testProvenance: RunProvenance = { version: '0.0.0', node: 'v20', config: {}, scoring: {} }

export const testAsked = (tasks: readonly string[] = ['t'], extra: Partial<RunSpec> = {}): RunSpec => ({
  tasks: tasks.map(name => ({ name, identity: sha256<'task'>(name), dataset: { path: `${name}.jsonl`, files: {} } })),
  model: testModel,
  code: codeKey(testCode).key,
  selection: {},
  ...extra,
})

export async function testRun(store: Store, tasks?: readonly string[], extra?: Partial<RunSpec>): Promise<Run> {
  const { run } = await store.runs.create(testAsked(tasks, extra), testProvenance, [
    { kind: 'code', ...codeKey(testCode) },
  ])
  return run
}

/** Makes a doc with one question. Its prompt distinguishes it from others. */
export const question = (index: number, text = `question ${index}`): DraftDoc => ({
  index,
  id: String(index),
  record: { target: `answer ${index}`, doc: { question: text } },
  requests: [
    {
      choice: 0,
      sample: 0,
      input: { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
      generation: { max_new_tokens: 8 },
    },
  ],
})

export const answer = (store: Store, lease: Lease, text: string): Promise<boolean> =>
  store.requests.commitResponse(lease, { text, finishReason: 'stop' }, { durationMs: 1, attempts: 1, answeredAt: 0 })
