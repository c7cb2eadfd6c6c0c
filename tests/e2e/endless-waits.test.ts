import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { picture } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

/** A task of four docs, and the arguments of a command that evaluates it. */
async function endless(files: Readonly<Record<string, string | Buffer>>): Promise<readonly string[]> {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return ['eval', '--tasks', join(folder, 'waits.yaml'), '--store', join(folder, 'store')]
}

const yaml = (more: string): string => `task: waits
dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
${more}`

const rows = (image: (at: number) => object = () => ({})): string =>
  Array.from({ length: 4 }, (_, at) => JSON.stringify({ question: `q${at}`, answer: 'a', ...image(at) })).join('\n')

const scoring = 'metric_list: [{metric: exact_match}]\n'
const never = 'new Promise(() => setInterval(() => undefined, 1_000))'

async function silentServer(): Promise<string> {
  const server = createServer(() => undefined)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function until(started: Started, isTrue: () => boolean): Promise<void> {
  while (!isTrue() && started.child.exitCode === null) await sleep(5)
}

describe('reports an endless wait without blocking the run', () => {
  test('address of a picture: earlier docs are sent, and --max-time ends the wait', async () => {
    const url = await silentServer()
    const line = await endless({
      'waits.yaml': yaml(`doc_to_visual: image\n${scoring}`),
      'docs.jsonl': rows(at => ({ image: at === 2 ? `${url}/a.png` : 'p.png' })),
      'p.png': await picture(200),
    })
    const { code, stderr, stdout } = await runCli([...line, '--model', 'dummy', '--max-time', '12s'])
    expect(code).toBe(2)
    expect(stderr).toContain(`for ${url}/a.png (at most 10 min)`)
    expect(stderr).toContain('2 docs read so far, not all')
    expect(stdout).toMatch(/waits +exact_match .* 2 /)
  })

  test.each([
    [
      'an async scoring function',
      {
        'waits.yaml': yaml('process_results: !function utils.wait\nmetric_list: [{metric: acc}]\n'),
        'utils.ts': `export const wait = () => ${never}\n`,
      },
      ['--model', 'dummy'],
    ],
    [
      'a plugin that opens its model',
      {
        'waits.yaml': yaml(scoring),
        'plugin.ts': `import { defineBackend, z } from 'pipeline'
export const stuck = defineBackend({ id: 'stuck', summary: 's', args: z.object({}), accepts: ['text'], open: () => ${never} })\n`,
      },
      ['--model', 'stuck'],
    ],
    [
      'a plugin that answers a request',
      {
        'waits.yaml': yaml(scoring),
        'plugin.ts': `import { defineBackend, z } from 'pipeline'
export const stuck = defineBackend({ id: 'stuck', summary: 's', args: z.object({}), accepts: ['text'], open: () => ({ generate: () => ${never} }) })\n`,
      },
      ['--model', 'stuck'],
    ],
  ] as const)('%s: two signals end the run, and the resume command is printed', async (_, files, flags) => {
    const line = await endless({ 'docs.jsonl': rows(), ...files })
    const plugin = 'plugin.ts' in files ? ['--plugin', join(line[2] ?? '', '../plugin.ts')] : []
    const started = startCli([...line, ...flags, ...plugin])
    await until(started, () => started.told().includes('model'))
    started.child.kill('SIGINT')
    await until(started, () => started.told().includes('Ctrl-C again'))
    started.child.kill('SIGINT')
    const { code, stderr } = await started.ended
    expect(code).toBe(130)
    expect(stderr).toMatch(/resume: {2}pipeline resume \S+/)
  })
})

test.each([
  [
    'a module of a task',
    {
      'waits.yaml': yaml(`process_docs: !function utils.wait\n${scoring}`),
      'utils.ts': `await ${never}\nexport const wait = () => []\n`,
    },
    'the tasks, plugins and models to be read',
  ],
  [
    'the first doc of process_docs',
    {
      'waits.yaml': yaml(`process_docs: !function utils.wait\n${scoring}`),
      'utils.ts': `export async function* wait() { await ${never} }\n`,
    },
    'the docs of the task waits to be opened',
  ],
] as const)('%s: --max-time ends the wait and names what never came', async (_, files, what) => {
  const line = await endless({ 'docs.jsonl': rows(), ...files })
  const { code, stderr } = await runCli([...line, '--model', 'dummy', '--max-time', '1s'])
  expect(stderr).toContain(`--max-time 1.0 s: time is up while the command waited for ${what}`)
  expect(code).toBe(1)
})
