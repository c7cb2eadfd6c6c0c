import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Model } from '../../../../../stages/model/model.js'
import { pythonRequest as request, withClass } from '../../../../support/python-model.js'
import { temporaryFolder } from '../../../../support/store.js'

const never = new AbortController().signal

const misbehaving = `
import abc, random, sys, time
class Base(abc.ABC):
    @abc.abstractmethod
    def loglikelihood(self, requests): ...
class Odd(Base):
    is_simple = False
    def generate_until(self, requests):
        text = requests[0].args[0]
        if text == "hang":
            time.sleep(3600)
        if text == "exit":
            sys.exit(3)
        others = {"none": None, "few": [], "number": [3], "draw": [str(random.random())]}
        if text in others:
            return others[text]
        return [f"{request.args[3]} {self.task_dict[request.args[4]][request.args[5]][request.args[3]]['messages'][0]['content'][0]['text']}" for request in requests]
class Scored:
    def generate(self, messages):
        return ""
    def loglikelihood(self, messages, continuation):
        return float(continuation), False
class Made:
    @classmethod
    def create_from_arg_string(cls, text, more=None):
        made = cls()
        made.text = f"{text} {more}"
        return made
    def generate_until(self, requests):
        return [self.text]
`

let folder: string
const write = async (code: string): Promise<void> => {
  folder = await temporaryFolder()
  await writeFile(join(folder, 'mine.py'), code)
}
const withModel = (given: Readonly<Record<string, unknown>>, use: (model: Model) => Promise<void>) =>
  withClass(folder, given, use)

describe('a class that misbehaves', () => {
  beforeEach(() => write(misbehaving))

  test.each([
    ['none', 'generate_until must return a list with an answer to each request, not NoneType'],
    ['few', 'generate_until returned 0 answers to 1 requests'],
    ['number', 'an answer must be a text, not int'],
    ['exit', 'SystemExit: 3 (mine.py:13 in generate_until)'],
  ])('fails the request %s, and answers the next one', (text, message) =>
    withModel({ class: 'Odd' }, async model => {
      await expect(model.answer(request(text), never)).rejects.toThrow(message)
      expect((await model.answer(request('a'), never)).body.text).toBe('1 a')
    }),
  )

  test('is killed if it hangs longer than timeout, and the next request gets a new process', () =>
    withModel({ class: 'Odd', timeout: 2 }, async model => {
      await expect(model.answer(request('hang'), never)).rejects.toThrow('did not answer within 2 s (timeout=2)')
      expect((await model.answer(request('a'), never)).body.text).toBe('0 a')
    }))

  test('gets a distinct doc_id for each request', () =>
    withModel({ class: 'Odd', batch_size: 2 }, async model => {
      const answers = await Promise.all(['a', 'b', 'c'].map(text => model.answer(request(text), never)))
      expect(answers.map(({ body }) => body.text)).toEqual(['0 a', '1 b', '2 c'])
    }))

  test('samples differently for each sample index, and repeatably for the same one', () =>
    withModel({ class: 'Odd' }, async model => {
      const drawn = async (sample: number) => (await model.answer({ ...request('draw'), sample }, never)).body.text
      const [first, second] = [await drawn(0), await drawn(1)]
      expect(second).not.toBe(first)
      expect(await drawn(0)).toBe(first)
    }))

  test('does not support a method that only its base class declares', () =>
    withModel({ class: 'Odd' }, async model => {
      const asked = model.answer(request('a', { type: 'loglikelihood', continuation: 'b' }), never)
      await expect(asked).rejects.toMatchObject({ class: 'invalid_request', message: /class Odd has no loglikelihood/ })
    }))

  test('may return a loss instead of a log-likelihood, but no NaN', () =>
    withModel({ class: 'Scored' }, async model => {
      const scored = (continuation: string) =>
        model.answer(request('a', { type: 'loglikelihood', continuation }), never)
      expect((await scored('3.5')).body.logprob).toBe(-3.5)
      expect((await scored('-2')).body.logprob).toBe(-2)
      await expect(scored('nan')).rejects.toThrow('must be a finite number, not nan')
    }))

  test('is created by its own create_from_arg_string', () =>
    withModel({ class: 'Made', colour: 'red', size: '2' }, async model => {
      expect((await model.answer(request('a'), never)).body.text).toBe("colour=red,size=2 {'batch_size': 1}")
    }))
})

describe('two processes of a class that crashes or leaks', () => {
  const greedy = `
import ctypes, os, resource, time
class Greedy:
    def __init__(self, gate=""):
        self.gate, self.kept = gate, []
    def generate(self, messages, **generation):
        text = messages[-1]["content"][-1]["text"]
        if text == "segfault":
            ctypes.string_at(0)
        if text == "wait":
            open(self.gate + ".waits", "w").close()
            while not os.path.exists(self.gate):
                time.sleep(0.005)
        if text.startswith("leak") or text == "too much":
            size = 64 << 20
            used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            if not self.kept:
                resource.setrlimit(resource.RLIMIT_AS, (used + 4 * size, resource.RLIM_INFINITY))
            self.kept.append(bytearray(size * (9 if text == "too much" else 1)))
        return f"{os.getpid()} {text}"
`
  beforeEach(() => write(greedy))
  const pidOf = (text = ''): string => text.split(' ')[0] ?? ''

  test('a segfault of one fails only its request, and the other continues', async () => {
    const gate = join(folder, 'gate')
    await withModel({ class: 'Greedy', processes: 2, gate }, async model => {
      const ask = async (text: string) => (await model.answer(request(text), never)).body.text
      const waits = ask('wait')
      await expect.poll(() => existsSync(`${gate}.waits`)).toBe(true)
      const before = pidOf(await ask('a'))
      const message = expect.stringContaining('SIGSEGV') as string
      await expect(ask('segfault')).rejects.toMatchObject({ isRetryable: true, message })
      const after = pidOf(await ask('b'))
      await expect(ask('segfault')).rejects.toMatchObject({ isRetryable: false, message })
      await writeFile(gate, '')
      const other = pidOf(await waits)
      expect(new Set([before, after, other]).size).toBe(3)
      const later = await Promise.all(['c', 'd'].map(ask))
      expect(later.map(pidOf)).toContain(other)
    })
  })

  test.skipIf(!existsSync('/proc/self/statm'))(
    'leaked memory is freed by a new process, and all requests are answered (needs /proc)',
    () =>
      withModel({ class: 'Greedy', processes: 2 }, async model => {
        const texts = Array.from({ length: 20 }, (_, index) => `leak ${index}`)
        const answers = await Promise.all(
          texts.map(async text => (await model.answer(request(text), new AbortController().signal)).body.text),
        )
        expect(answers.map(text => text.replace(/^\d+ /, ''))).toEqual(texts)
        expect(new Set(answers.map(pidOf)).size).toBeGreaterThan(4)
      }),
  )

  test.skipIf(!existsSync('/proc/self/statm'))('a request that never fits into memory fails (needs /proc)', () =>
    withModel({ class: 'Greedy', processes: 2 }, async model => {
      const asked = () => model.answer(request('too much'), never)
      const message = expect.stringMatching(/its memory ran out: MemoryError.*mine\.py:19/) as string
      await expect(asked()).rejects.toMatchObject({ isRetryable: true, message })
      await expect(asked()).rejects.toMatchObject({ isRetryable: false, message })
      expect((await model.answer(request('a'), never)).body.text).toMatch(/ a$/)
    }),
  )
})
