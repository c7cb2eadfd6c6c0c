import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { root, runCli, startCli } from '../support/cli.js'
import { completion, startFakeOpenai } from '../support/fake-openai.js'
import { results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

const script = join(root, 'tests/support/mcp-server.mjs')

interface Message {
  readonly role: string
  readonly content: string | null
}

const calling = (name: string, args: object): object =>
  completion(null, 'tool_calls', {
    tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  })

/** Docs `0?`, `1?` … whose target is the result of the last call. */
async function scene(docs: number, yaml: string, answer: (question: number, round: number) => object | undefined) {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'sums'))
  const lines = Array.from({ length: docs }, (_, index) =>
    JSON.stringify({ question: `${index}?`, answer: `${index + 1}` }),
  )
  await writeFile(join(folder, 'sums/docs.jsonl'), lines.join('\n'))
  await writeFile(
    join(folder, 'sums/sums.yaml'),
    `task: sums\ndataset_path: ./docs.jsonl\ndoc_to_text: question\ndoc_to_target: answer\nmetric_list: [{metric: exact_match}]\n${yaml}`,
  )
  const fake = await startFakeOpenai({
    answer: ({ text }) => {
      const { messages } = JSON.parse(text) as { readonly messages: readonly Message[] }
      const round = messages.filter(({ role }) => role === 'assistant').length
      const question = Number.parseInt(messages[0]?.content ?? '', 10)
      return answer(question, round) ?? messages.at(-1)?.content ?? ''
    },
  })
  onTestFinished(() => fake.close())
  const store = join(folder, 'store')
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${fake.url},max_retries=0`]
  const line = ['eval', ...model, '--tasks', join(folder, 'sums'), '--store', store, '--json']
  return { folder, store, line, log: join(folder, 'log') }
}

async function httpServer(...args: string[]) {
  const child = spawn(process.execPath, [script, '--http', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>(resolve => createInterface({ input: child.stdout }).once('line', resolve))
  return {
    url,
    end: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const callsIn = async (log: string): Promise<readonly string[]> =>
  (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(line => line !== '' && !line.startsWith('http'))

test('calls wait while an HTTP tool server is unreachable, no doc fails, and the display says so', async () => {
  const { line, log } = await scene(20, '', (a, round) => (round < 1 ? calling('add', { a, b: 1 }) : undefined))
  const server = await httpServer('--sessions', '--log', log)
  const { told, ended } = startCli([...line, '--mcp', server.url, '--concurrency', '4'])
  await expect.poll(() => callsIn(log), { timeout: 60_000 }).not.toHaveLength(0)
  await server.end()
  await expect
    .poll(told, { timeout: 60_000 })
    .toMatch(/tool server server1 .* does not answer .*: its calls wait for it/)
  await httpServer('--sessions', '--log', log, '--port', new URL(server.url).port)
  const end = await ended
  expect(end, end.stderr).toMatchObject({ code: 0 })
  expect(results(end).tasks['sums']).toMatchObject({ exact_match: { value: 1, n: 20 } })
  expect(end.stderr).toMatch(/tool server server1 .* answers again, after \d+ s/)
  const calls = await callsIn(log)
  expect(new Set(calls).size).toBe(20)
  // The server may have received the calls in flight when it ended.
  expect(calls.length).toBeLessThanOrEqual(24)
})

test('shows the calls before a failure with the doc that failed', async () => {
  const { folder, line, store } = await scene(1, '', (a, round) =>
    round === 0 ? calling('add', { a, b: 7 }) : calling('crash', { file: join(folder, 'never') }),
  )
  const mcp = `${process.execPath} ${script} --crash always`
  expect(await runCli([...line, '--mcp', mcp])).toMatchObject({ code: 2 })
  const { stdout } = await runCli(['report', 'last', '--samples', 'failed', '--store', store])
  expect(stdout).toMatch(/calls +add \{"a":0,"b":7\}\n +tool +add: 7\n +calls +crash .*\n +failed +server: tool server/)
  const json = await runCli(['report', 'last', '--samples', 'failed', '--store', store, '--json'])
  const kept = {
    requests: [{ transcript: [{ role: 'assistant' }, { role: 'tool', toolName: 'add' }, { role: 'assistant' }] }],
  }
  expect(JSON.parse(json.stdout)).toMatchObject(kept)
  const output = join(folder, 'results')
  await runCli(['report', 'last', '--store', store, '--output-path', output, '--log-samples'])
  const files = await readdir(output, { recursive: true })
  const samples = files.find(file => file.endsWith('samples_sums.jsonl'))
  expect(JSON.parse(await readFile(join(output, samples!), 'utf8'))).toMatchObject(kept)
})

test.each([
  ['is made again', '', 0, 2],
  ['is not made again where its task declares so, and fails the doc', 'repeat_tools: {wait: false}\n', 2, 1],
])('a call killed before its result %s', async (_, yaml, code, times) => {
  const { line, log } = await scene(1, yaml, (_question, round) =>
    round === 0 ? calling('wait', { ms: 60_000 }) : undefined,
  )
  const mcp = (...flags: string[]) => ['--mcp', [process.execPath, script, '--log', log, ...flags].join(' ')]
  const { child, ended } = startCli([...line, ...mcp()])
  await expect.poll(() => callsIn(log), { timeout: 60_000 }).toHaveLength(1)
  child.kill('SIGKILL')
  await ended
  const end = await runCli([...line, ...mcp('--quick')])
  expect(end.code, end.stderr).toBe(code)
  expect(await callsIn(log)).toHaveLength(times)
  if (code === 2) expect(end.stderr + end.stdout).toMatch(/wait was called and its result is lost: .*repeat_tools/)
})
