/**
 * Sends GET requests at a fixed rate, in a process of its own, until its input ends. Arguments: the rate a second, then addresses, which take turns.
 * It prints the latencies in milliseconds as JSON. A request counts from the time at which it was due, so that a server that stalls is not measured less often.
 */
import { Agent, request } from 'node:http'

const [rate = '200', ...urls] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const latencies: number[] = []
let failed = 0
let due = performance.now()
let sent = 0

function ask(url: string, dueAt: number): Promise<void> {
  return new Promise(resolve => {
    const end = (isGood: boolean): void => {
      if (isGood) latencies.push(performance.now() - dueAt)
      else failed += 1
      resolve()
    }
    request(url, { agent }, response => {
      response.resume().once('end', () => {
        end(response.statusCode === 200)
      })
    })
      .once('error', () => {
        end(false)
      })
      .end()
  })
}

const open = new Set<Promise<void>>()
const timer = setInterval(() => {
  for (const now = performance.now(); due <= now; due += 1000 / Number(rate)) {
    const asked = ask(urls[sent++ % urls.length] ?? '', due)
    open.add(asked)
    void asked.finally(() => open.delete(asked))
  }
}, 1)

process.stdin.resume().once('end', () => {
  clearInterval(timer)
  void Promise.all(open).then(() => {
    process.stdout.write(JSON.stringify({ latencies, failed }))
    agent.destroy()
  })
})
