/** The flags of a server or worker about Python code hold for each of its jobs. */
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import { work } from '../../../../src/service/jobs/worker.js'
import { pythonSettings, workerArgs } from '../../../../src/service/settings.js'
import { temporaryFolder } from '../../../support/store.js'

const task = `
task: shout
dataset_path: rows.jsonl
doc_to_text: !function code.prompt
doc_to_target: a
metric_list: [{metric: exact_match}]
`

test('a worker runs the code of tasks with the given Python', async () => {
  const folder = await temporaryFolder()
  const tasks = join(folder, 'tasks')
  await mkdir(tasks)
  await writeFile(join(tasks, 'shout.yaml'), task)
  await writeFile(join(tasks, 'rows.jsonl'), '{"q": "one", "a": "ONE"}\n')
  await writeFile(join(tasks, 'code.py'), 'def prompt(doc):\n    return doc["q"]\n')
  const store = await openStore(join(folder, 'store'))
  onTestFinished(() => store.close())
  const id = randomUUID()
  await store.jobs.submit({ id, request: { model: 'dummy', tasks: ['shout'] }, group: 'dummy' })
  const python = join(folder, 'no-python')
  await work(store, {
    env: {},
    includePaths: [tasks],
    plugins: [],
    python: pythonSettings({ python }),
    policy: { allowDirs: [], allowUrls: [], secrets: new Map(), allowCommands: false },
    shutdown: new AbortController().signal,
    now: () => performance.now(),
    limits: {},
    maxJobs: 1,
  })
  expect(await store.jobs.find(id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`Python cannot be started as "${python}"`) as string,
  })
})

test('a server passes all flags about Python to its workers', () => {
  const flags = { python: 'python3.12', allowNetwork: true, pythonSeconds: 5, pythonMemoryMb: 500 }
  const words = workerArgs(flags, '/store').join(' ')
  expect(words).toContain('--python python3.12 --allow-network --python-seconds 5 --python-memory-mb 500')
})
