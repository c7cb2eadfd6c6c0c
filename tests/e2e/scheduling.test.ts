import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fixedWindow, unlimited, type SimulatedServer } from '../../bench/server-models.js'
import { runCli } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { temporaryFolder } from '../support/store.js'

interface Seen {
  readonly at: number
  readonly toldAt: number
  /** The client's end of the connection. */
  readonly port: number | undefined
  readonly text: string
  readonly status: number
  /** The milliseconds of the retry-after that it got. */
  readonly retryAfter?: number | undefined
}

/** A chat server that answers and rejects like the simulated server. */
async function serve(model: SimulatedServer): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = []
  const later = (ms: number, action: () => void): void => void setTimeout(action, ms)
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const at = performance.now()
      model({
        now: at,
        later: (ms, action) => later(ms, () => action(performance.now())),
        reply: (ms, told) =>
          later(ms, () => {
            const retryAfter = told.type === 'rate_limited' ? told.retryAfter : undefined
            const status = told.type === 'answered' ? 200 : 429
            const { remotePort: port } = request.socket
            seen.push({ at, toldAt: performance.now(), port, text: body, status, retryAfter })
            response.writeHead(status, {
              'content-type': 'application/json',
              ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter / 1_000) }),
            })
            response.end(
              status === 200
                ? '{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}]}'
                : '{"error":{"message":"too many"}}',
            )
          }),
      })
    })
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen }
}

async function writeTask(folder: string, name: string, questions: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const docs = questions.map((question, id) => JSON.stringify({ id, question, answer: 'yes' }))
  await writeFile(join(folder, `${name}.jsonl`), `${docs.join('\n')}\n`)
  await writeFile(
    join(folder, `${name}.yaml`),
    `task: ${name}\ndataset_path: ${name}.jsonl\noutput_type: generate_until\ndoc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\nmetric_list:\n  - metric: exact_match\n`,
  )
}

const flags = (folder: string, tasks: string, url: string): readonly string[] => [
  ...['eval', '--tasks', tasks, '--include-path', folder, '--store', join(folder, 'store')],
  ...['--model', 'openai', '--model-args', `model=m,base_url=${url}`],
]

test('sends a request that two tasks share once', async () => {
  const folder = await temporaryFolder()
  const questions = Array.from({ length: 20 }, (_, index) => `Is ${index} a number?`)
  await writeTask(folder, 'first', questions)
  await writeTask(folder, 'second', [...questions, questions[0] ?? '', 'Is this new?'])
  const server = await serve(unlimited(() => 100))
  expect(await runCli(flags(folder, 'first,second', server.url))).toMatchObject({ code: 0 })
  expect(server.seen).toHaveLength(21)
})

test('finds an undocumented limit without losing requests, and waits as long as a rate limit says', async () => {
  const folder = await temporaryFolder()
  await writeTask(
    folder,
    'many',
    Array.from({ length: 100 }, (_, index) => `Is ${index} a number?`),
  )
  const server = await serve(
    fixedWindow({ latency: () => 60, retryAfter: 'seconds', limit: () => 25, windowMs: 1_000 }),
  )
  expect(await runCli(flags(folder, 'many', server.url))).toMatchObject({ code: 0 })
  expect(server.seen.filter(({ status }) => status === 200)).toHaveLength(100)
  const refusals = server.seen.filter(({ retryAfter }) => retryAfter !== undefined)
  for (const { toldAt, retryAfter = 0 } of refusals) {
    const early = server.seen.filter(({ at }) => at > toldAt && at < toldAt + retryAfter - 5).map(({ port }) => port)
    // However long a refusal is on its way, what a connection brings after the answer to that was sent by one who had read it.
    expect(early).toEqual([...new Set(early)])
  }
})

test('keeps the first answer of two copies of a stuck request, once, and reports it', async () => {
  const folder = await temporaryFolder()
  const docs = 60
  await writeTask(
    folder,
    'tail',
    Array.from({ length: docs }, (_, index) => `Is ${index} a number?`),
  )
  const isStuck = ({ digest, before }: { readonly digest: string; readonly before: number }) =>
    before === 0 && Number.parseInt(digest.slice(0, 2), 16) < 26
  const server = await startFakeOpenai({
    latencyMs: 20,
    fault: request => (isStuck(request) ? 'stall' : undefined),
    answer: () => 'yes',
  })
  onTestFinished(() => server.close())
  const line = [...flags(folder, 'tail', server.url), '--concurrency', '20', '--hedge', '0.5s']
  expect(await runCli(line)).toMatchObject({ code: 0 })
  const stuck = server.seen.filter(isStuck).length
  expect(stuck).toBeGreaterThan(0)
  const shown = await runCli(['report', 'last', '--throughput', '--json', '--store', join(folder, 'store')])
  const { requests } = JSON.parse(shown.stdout) as { readonly requests: Readonly<Record<string, number>> }
  expect(requests).toMatchObject({ asked: docs, retries: 0, attempts: docs + (requests['hedges'] ?? 0) })
  expect(requests['hedges_won']).toBeGreaterThanOrEqual(stuck)
  // The server does not see a copy that is aborted before it was read.
  expect(server.stats().requests - docs).toBeLessThanOrEqual(requests['hedges'] ?? 0)
  expect(server.stats().requests - docs).toBeGreaterThanOrEqual(stuck)
  const seen = server.stats().requests
  expect(await runCli(line)).toMatchObject({ code: 0 })
  expect(server.stats()).toMatchObject({ requests: seen, distinct: docs })
})
