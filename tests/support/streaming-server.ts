import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A server of streamed chat completions. Each token is one piece, and the last piece has the usage. */
export async function startStreaming(pace: {
  readonly firstAfterMs: number
  readonly eachMs: number
  readonly tokens: number
}): Promise<{ readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      void (async () => {
        for (let token = 0; token < pace.tokens; token++) {
          await sleep(token === 0 ? pace.firstAfterMs : pace.eachMs)
          response.write(piece({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] }))
        }
        response.write(piece({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
        response.write(piece({ choices: [], usage: usageOf(pace.tokens) }))
        response.end('data: [DONE]\n\n')
      })()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

const piece = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'fake', ...fields })}\n\n`

const usageOf = (tokens: number): object => ({
  prompt_tokens: 9,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens: tokens,
  total_tokens: 9 + tokens,
})
