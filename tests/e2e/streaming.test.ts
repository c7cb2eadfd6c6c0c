import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { dumpOf, expectSound } from '../support/crash.js'
import { startFakeOpenai, type SeenRequest } from '../support/fake-openai.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 40

const questionOf = ({ text }: SeenRequest): string =>
  (JSON.parse(text) as { messages: { content: string }[] }).messages.at(-1)!.content

test('streamed answers equal unstreamed ones, even after an interrupted stream, and both share the store', async () => {
  const server = await startFakeOpenai({
    answer: questionOf,
    fault: request => {
      const isCut = request.text.includes('"stream":true') && request.before === 0 && request.index % 5 === 0
      return isCut ? 'cut-stream' : undefined
    },
  })
  onTestFinished(() => server.close())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const [whole, pieces] = [join(folder, 'whole'), join(folder, 'pieces')]
  const line = (store: string, stream: boolean): readonly string[] => [
    ...['eval', '--tasks', task, '--store', store, '--model', 'openai', '--concurrency', '8'],
    ...['--model-args', `model=m,base_url=${server.url},stream=${stream}`],
  ]
  const firstTokens = async (store: string): Promise<unknown> => {
    const { stdout } = await runCli(['report', 'last', '--json', '--store', store])
    return (JSON.parse(stdout) as { throughput: Record<string, unknown> }).throughput['time_to_first_token_ms']
  }

  expect(await runCli(line(whole, false))).toMatchObject({ code: 0 })
  expect(await runCli(line(pieces, true))).toMatchObject({ code: 0 })
  expect(server.stats().requests).toBeGreaterThan(2 * docs)
  expect(await dumpOf(pieces)).toBe(await dumpOf(whole))
  await expectSound(pieces)

  const asked = server.stats().requests
  expect(await runCli(line(whole, true))).toMatchObject({ code: 0 })
  expect(await runCli(line(pieces, false))).toMatchObject({ code: 0 })
  expect(server.stats().requests).toBe(asked)

  expect(await firstTokens(pieces)).toMatchObject({ n: docs })
  expect(await firstTokens(whole)).toBeNull()
})
