import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { listenForKeys, type KeySource, type ViewerPage } from '../../../../src/cli/commands/watch-keys.js'

/** A terminal's standard input, with what was set. */
function makeSource() {
  const modes: string[] = []
  const source = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => void modes.push(isRaw ? 'raw' : 'lines'),
    pause: () => void modes.push('paused'),
    resume: () => void modes.push('listening'),
  })
  return {
    modes,
    source: source as unknown as KeySource,
    type: (text: string) => source.emit('data', Buffer.from(text)),
  }
}

const page = (path: string): ViewerPage => ({ store: 'runs', path })

function listen() {
  const opened: string[] = []
  const { source, modes, type } = makeSource()
  let interrupted = 0
  const keys = listenForKeys(source, {
    open: ({ path }) => void opened.push(path),
    interrupt: () => void (interrupted += 1),
  })
  return { opened, modes, type, keys, interruptions: () => interrupted }
}

test('a digit opens the page with that number, and other keys do nothing', () => {
  const { opened, keys, type } = listen()
  type('1')
  keys.number([page('/a'), page('/b')])
  type('2')
  type('x3')
  type('01')
  expect(opened).toEqual(['/b', '/a'])
})

test('Ctrl-C interrupts', () => {
  const { type, interruptions } = listen()
  type('\u0003')
  expect(interruptions()).toBe(1)
})

test('a question gets the keys until it is answered, and the terminal is restored', async () => {
  const { opened, keys, type, modes } = listen()
  keys.number([page('/a')])
  await keys.during(async () => {
    await Promise.resolve()
    type('1')
  })
  expect(opened).toEqual([])
  type('1')
  expect(opened).toEqual(['/a'])
  keys.close()
  expect(modes).toEqual(['raw', 'listening', 'lines', 'paused', 'raw', 'listening', 'lines', 'paused'])
})
