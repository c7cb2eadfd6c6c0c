import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { PythonPool } from '../../../../cache/code/python/python-pool.js'
import { callsOf, hasPython, labelsOf, pythonCode } from '../../../support/python-pool.js'
import { root } from '../../../support/cli.js'
import { temporaryFolder } from '../../../support/store.js'

const isAlive = (pid: number): boolean => {
  try {
    // A zombie that was not waited for is dead, too.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe.skipIf(!hasPython())('failing Python code (needs python3)', () => {
  const ways: readonly (readonly [string, string, object])[] = [
    ['raises', 'raise KeyError("image")', { type: 'KeyError', message: "'image'", place: 'utils.py:6' }],
    ['ends the interpreter', 'sys.exit(3)', { type: 'SystemExit', message: '3' }],
    ['is interrupted', 'raise KeyboardInterrupt', { type: 'KeyboardInterrupt' }],
    [
      'ends the process',
      'print("last words", file=sys.stderr, flush=True); os._exit(7)',
      { type: 'WorkerDied', message: 'the Python process exited with code 7', stderr: ['last words'] },
    ],
    ['reads no memory', 'ctypes.string_at(0)', { type: 'WorkerDied', message: 'the Python process died of SIGSEGV' }],
    [
      'runs for ever',
      'while True: pass',
      { type: 'TimeLimit', message: 'the call took longer than 0.5 s', place: 'utils.py:6' },
    ],
    [
      'runs for ever and catches all',
      '\n  while True:\n   try: time.sleep(9)\n   except Exception: pass',
      { type: 'TimeLimit' },
    ],
    ['nests without end', 'doc_to_text(doc)', { type: 'RecursionError' }],
    [
      'returns what has no form',
      'return {"a": [1, object()]}',
      { type: 'TypeError', message: "a value of type object at ['a'][1] cannot be stored" },
    ],
    ['returns itself', 'a = []; a.append(a); return a', { type: 'TypeError' }],
  ]
  test.each(ways)('code that %s fails only its own doc', async (_name, code, error) => {
    const { pool, ref } = await pythonCode(
      `
import ctypes, os, sys, time
def doc_to_text(doc):
 if doc % 7 != 3: return doc
 if True:
  ${code}
`.replace('if True:\n  \n', 'if True:\n'),
      { seconds: 0.5, batch: 5 },
    )
    const results = await pool.call(
      ref('doc_to_text'),
      callsOf(Array.from({ length: 12 }, (_, item) => item)),
      labelsOf(12),
    )
    expect(results.map(one => ('ok' in one ? one.ok : 'failed'))).toEqual(
      Array.from({ length: 12 }, (_, item) => (item % 7 === 3 ? 'failed' : item)),
    )
    expect(results[3]).toMatchObject({ error })
  })

  test('kills a process whose call cannot be stopped by Python', { timeout: 60_000 }, async () => {
    const { pool, ref } = await pythonCode(
      `
import ctypes, signal
def stuck(doc):
    if doc != 1: return doc
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    ctypes.PyDLL(None).sleep(100)
`,
      { seconds: 0.5, importSeconds: 1 },
    )
    const results = await pool.call(ref('stuck'), callsOf([0, 1, 2]), labelsOf(3))
    expect(results).toMatchObject([{ ok: 0 }, { error: { type: 'TimeLimit' } }, { ok: 2 }])
  })

  test('does not interrupt an import within a call, because it could not be repeated', async () => {
    const { pool, folder, ref } = await pythonCode(
      'import os, sys\nsys.path.append(os.path.dirname(__file__))\ndef f(doc):\n    import slow_package\n    return slow_package.x\n',
      { seconds: 0.5 },
    )
    await writeFile(join(folder, 'slow_package.py'), 'import time\ntime.sleep(1.5)\nx = 7\n')
    expect(await pool.call(ref('f'), callsOf([0, 1]), labelsOf(2))).toEqual([{ ok: 7 }, { ok: 7 }])
  })

  test('exceeding the memory limit fails only that doc', async () => {
    const { pool, ref } = await pythonCode('def hog(doc): return len(bytearray(doc))\n', { memory: 1_000_000_000 })
    const results = await pool.call(ref('hog'), callsOf([10, 4_000_000_000, 20]), labelsOf(3))
    expect(results).toMatchObject([{ ok: 10 }, { error: { type: 'MemoryError', place: 'utils.py:1' } }, { ok: 20 }])
  })

  test('an exception is reported with its causes', async () => {
    const { pool, ref } = await pythonCode(`
def inner(doc): return doc["a"]
def outer(doc):
    try: inner(doc)
    except KeyError as error: raise ValueError("no answer") from error
`)
    expect(await pool.call(ref('outer'), callsOf([{}]), labelsOf(1))).toEqual([
      {
        error: {
          type: 'ValueError',
          message: 'no answer',
          place: 'utils.py:5',
          trace: ['utils.py:5 in outer', "caused by KeyError: 'a'", 'utils.py:4 in outer', 'utils.py:2 in inner'],
        },
      },
    ])
  })

  test('does not mistake printed output for an answer', async () => {
    const onStderr = vi.fn()
    const { pool, ref } = await pythonCode(
      `
import os, sys
def loud(doc):
    print("a line", doc); os.write(1, b"raw\\n"); print("\\ud800")
    return sys.stdin.read()
`,
      { onStderr },
    )
    expect(await pool.call(ref('loud'), callsOf([1]), labelsOf(1))).toEqual([{ ok: '' }])
    await pool.close()
    expect(onStderr.mock.calls.flat()).toEqual(['a line 1', 'raw', '\\ud800'])
  })

  test('network access, even to this machine, is denied unless it is allowed', async () => {
    const server = createServer(socket => socket.end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const code = `
import socket, urllib.request
def connect(port):
    with socket.create_connection(("127.0.0.1", port)) as one: return one.recv(5)
def connect_plainly(port): socket.socket().connect(("127.0.0.1", port))
def look_up(port): socket.getaddrinfo("example.com", 80)
def fetch(port): urllib.request.urlopen("http://example.com")
`
    const closed = await pythonCode(code)
    for (const name of ['connect', 'connect_plainly', 'look_up', 'fetch']) {
      expect(await closed.pool.call(closed.ref(name), callsOf([port]), labelsOf(1))).toMatchObject([
        { error: { message: expect.stringContaining('--allow-network') as string } },
      ])
    }
    const open = await pythonCode(code, { network: true })
    expect(await open.pool.call(open.ref('connect'), callsOf([port]), labelsOf(1))).toEqual([
      { ok: { $bytes: Buffer.from('hello').toString('base64') } },
    ])
    server.close()
  })

  test('processes that the code starts may communicate with each other', async () => {
    const { pool, ref } = await pythonCode(`
import multiprocessing
def work(shared): shared["a"] = 7
def run(doc):
    with multiprocessing.Manager() as manager:
        shared = manager.dict()
        child = multiprocessing.get_context("fork").Process(target=work, args=(shared,))
        child.start(); child.join()
        return dict(shared)
`)
    expect(await pool.call(ref('run'), callsOf([1]), labelsOf(1))).toEqual([{ ok: { a: 7 } }])
  })

  test('reports a missing interpreter as a configuration error', async () => {
    const folder = await temporaryFolder()
    const worker = join(root, 'src/python/worker/worker.py')
    const missing = new PythonPool({ python: '/no/python3', worker, exchange: folder, env: process.env })
    const error: unknown = await missing.samples({ module: 'a', name: 'b' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PipelineError)
    expect(error).toMatchObject({ code: 'config', options: ['python'] })
    expect((error as Error).message).toMatch(/"\/no\/python3": there is no such program.*PIPELINE_PYTHON/)
    const notPython = new PythonPool({ python: 'false', worker, exchange: folder, env: process.env })
    await expect(notPython.render({ hooks: {}, kwargs: null, docs: [1], labels: ['t/1'] })).rejects.toThrow(
      'the Python process exited with code 1',
    )
  })

  test('a process that cannot be started fails the work with the reason', async () => {
    const { pool, ref } = await pythonCode('', { setup: [{ op: 'nonsense', message: {} }] })
    await expect(pool.samples(ref('a'))).rejects.toThrow('no operation nonsense')
  })

  test('closing ends the processes and their children, and fails pending work', async () => {
    const { pool, folder, ref } = await pythonCode(`
import os, signal, subprocess, time
def wait(doc):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "1000"])
    with open(os.path.join(os.path.dirname(__file__), "pids"), "w") as file: file.write(f"{os.getpid()} {child.pid}\\n")
    time.sleep(1000)
`)
    const work = pool.call(ref('wait'), callsOf([1]), labelsOf(1)).catch((error: unknown) => error)
    const file = join(folder, 'pids')
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/\n$/), { timeout: 20_000 })
    const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number)
    expect(pids.map(isAlive)).toEqual([true, true])
    await pool.close()
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), { timeout: 20_000 })
    expect(await work).toMatchObject({ type: 'WorkerDied', message: expect.stringContaining('closed') as string })
  })

  test('an idle pool does not keep the program running, and its processes end with the program', async () => {
    const folder = await temporaryFolder()
    const script = `
import { PythonPool } from ${JSON.stringify(join(root, 'cache/code/python/python-pool.ts'))}
const pool = new PythonPool({ python: 'python3', worker: ${JSON.stringify(join(root, 'src/python/worker/worker.py'))}, exchange: ${JSON.stringify(folder)}, env: process.env })
const [pid] = await pool.call({ module: 'os', name: 'getpgid' }, [{ args: [0] }], ['a']).then(all => all.map(one => one.ok))
console.log(pid)
`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
    const [code] = (await once(child, 'close')) as [number]
    expect([code, printed]).toEqual([0, expect.stringMatching(/^\d+\n$/)])
    await vi.waitFor(() => expect(isAlive(Number(printed))).toBe(false), { timeout: 20_000 })
  })
})
