import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { root, runCli } from '../support/cli.js'
import { expectSound, live } from '../support/crash.js'
import { documentedFiles, writeFiles } from '../support/documented-files.js'
import { completion, startFakeOpenai, type FakeOpenai, type SeenRequest } from '../support/fake-openai.js'
import { results } from '../support/own-task.js'
import { isRunning } from '../support/processes.js'
import { temporaryFolder } from '../support/store.js'

interface Message {
  readonly role: string
  readonly content: string | null
}

const messagesIn = ({ text }: SeenRequest) => (JSON.parse(text) as { readonly messages: readonly Message[] }).messages

/** The conversation of a request, and the number of its rounds that were answered before. */
const placeOf = (request: SeenRequest): string =>
  `${messagesIn(request)[0]?.content} ${messagesIn(request).filter(({ role }) => role === 'assistant').length}`

async function server(answer: (messages: readonly Message[]) => string | object): Promise<FakeOpenai> {
  // The server is slow enough that the program is killed before it answers.
  const fake = await startFakeOpenai({ latencyMs: 300, answer: request => answer(messagesIn(request)) })
  onTestFinished(() => fake.close())
  return fake
}

/** Runs the command, and kills it when the server has received this many requests, before it answers the last. */
async function killAt(args: readonly string[], fake: FakeOpenai, requests: readonly number[]): Promise<void> {
  for (const most of requests) {
    const life = await live(args, {
      name: `request ${most}`,
      watch: () => () => fake.stats().requests >= most,
      delayMs: 0,
    })
    expect(life.wasKilled).toBe(true)
  }
}

const calling = (args: object): object =>
  completion(null, 'tool_calls', {
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: JSON.stringify(args) } }],
  })

test('a killed conversation continues at its last round, without repeating a request or tool call', async () => {
  const folder = await temporaryFolder()
  const docs = [0, 1, 2].map(index => ({ id: `q${index}`, question: `${index}?`, answer: `${index + 2}` }))
  await mkdir(join(folder, 'sums'))
  await writeFile(join(folder, 'sums/docs.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(
    join(folder, 'sums/sums.yaml'),
    'task: sums\ndataset_path: ./docs.jsonl\ndoc_to_text: question\ndoc_to_target: answer\nmetric_list: [{metric: exact_match}]\n',
  )
  const fake = await server(messages => {
    const round = messages.filter(({ role }) => role === 'assistant').length
    const a = Number.parseInt(messages[0]?.content ?? '', 10)
    return round < 2 ? calling({ a, b: round + 1 }) : (messages.at(-1)?.content ?? '')
  })
  const [calls, pids, store] = [join(folder, 'calls'), join(folder, 'pids'), join(folder, 'store')]
  const mcp = `${process.execPath} ${join(root, 'tests/support/mcp-server.mjs')} --log ${calls} --pids ${pids}`
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${fake.url}`, '--concurrency', '1']
  const line = ['eval', ...model, '--tasks', join(folder, 'sums'), '--mcp', mcp, '--store', store, '--json']

  await killAt(line, fake, [2, 4, 8])
  const ended = await runCli(line)
  expect(ended, ended.stderr).toMatchObject({ code: 0 })
  expect(results(ended).tasks['sums']).toMatchObject({ exact_match: { value: 1, n: 3 } })

  // Nine rounds, plus three that were in flight when the program was killed.
  const places = fake.seen.map(placeOf)
  expect(places).toHaveLength(12)
  expect([...new Set(places)].sort()).toEqual(['0? 0', '0? 1', '0? 2', '1? 0', '1? 1', '1? 2', '2? 0', '2? 1', '2? 2'])
  for (const [index, place] of places.entries())
    expect(places.indexOf(place) === index || places[index - 1] === place, `${place} again`).toBe(true)
  const made = (await readFile(calls, 'utf8')).trim().split('\n')
  expect(made).toEqual([0, 1, 2].flatMap(a => [1, 2].map(b => `add {"a":${a},"b":${b}}`)))

  const servers = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
  expect(servers).toHaveLength(4)
  while (servers.some(isRunning)) await sleep(20)
  await expectSound(store)

  const shown = await runCli(['report', 'last', '--samples', 'all', '--limit', '1', '--store', store])
  expect(shown.stdout).toMatch(/calls\s+add \{"a":0,"b":1\}/)
  expect(shown.stdout).toMatch(/tool\s+add: 1/)
  const again = await runCli(line)
  expect(again).toMatchObject({ code: 0 })
  expect(fake.stats().requests).toBe(12)
})

test('evaluates the agent in docs/tasks/rounds.md, even when it is killed between its rounds', async () => {
  const folder = await temporaryFolder()
  await writeFiles(folder, await documentedFiles(join(root, 'docs/tasks/rounds.md')))
  // Guesses 1, 2, 3 …, one more each time.
  const fake = await server(messages => String(messages.filter(({ role }) => role === 'assistant').length + 1))
  const store = join(folder, 'store')
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${fake.url}`, '--concurrency', '1']
  const line = ['eval', ...model, '--tasks', join(folder, 'number'), '--store', store, '--json']
  await killAt(line, fake, [2, 5])
  const ended = await runCli(line)
  expect(ended, ended.stderr).toMatchObject({ code: 0 })
  // The low number is guessed, the other one is not before the steps run out.
  expect(results(ended).tasks['number']).toMatchObject({ exact_match: { value: 0.5, n: 2 } })
  expect(fake.stats().requests).toBe(2 + 5 - 2 + 2)
})
