import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { plainValue, taggedValue, toWire, wireMedium, wireNumber } from '../../../../cache/code/python/wire.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { callsOf, hasPython, labelsOf, pythonCode } from '../../../support/python-pool.js'

describe('values for and of Python', () => {
  test('tags JavaScript values that JSON lacks', () => {
    const value = {
      n: [1, 0.5, NaN, -Infinity, -0, 1e300],
      big: 2n ** 64n,
      small: 7n,
      when: new Date(0),
      bytes: new Uint8Array([1, 2]),
      set: new Set([1]),
      map: new Map([[1, 'a']]),
      like: { $float: 'x' },
      typed: Float32Array.of(0.5),
      none: undefined,
    }
    expect(toWire(value)).toEqual({
      n: [1, 0.5, { $float: 'nan' }, { $float: '-inf' }, { $float: '-0.0' }, { $float: '1e+300' }],
      big: { $int: '18446744073709551616' },
      small: 7,
      when: { $datetime: '1970-01-01T00:00:00.000Z' },
      bytes: { $bytes: 'AQI=' },
      set: { $set: [1] },
      map: { $dict: [[1, 'a']] },
      like: { $dict: [['$float', 'x']] },
      typed: [0.5],
    })
    expect(() => toWire({ f: () => 1 })).toThrow('type function')
  })

  test('turns Python values into plain JSON if nothing is lost', () => {
    const value: Json = {
      a: { $tuple: [{ $float: '3.0' }, { $set: [1] }] },
      b: {
        $dict: [
          [1, { $date: '2024-01-01' }],
          [{ $tuple: [1, 2] }, 'x'],
          [true, 1],
        ],
      },
      c: { $float: 'nan' },
      d: { $int: '12345678901234567890' },
      e: { $image: { path: '/a.png' } },
      f: { $mine: 1 },
    }
    expect(plainValue(value)).toEqual({
      a: [3, [1]],
      b: { 1: '2024-01-01', '[1,2]': 'x', true: 1 },
      c: { $float: 'nan' },
      d: { $int: '12345678901234567890' },
      e: { $image: { path: '/a.png' } },
      f: { $mine: 1 },
    })
    expect([1, { $float: '2.0' }, { $float: '-inf' }, { $float: 'nan' }, 'x'].map(wireNumber)).toEqual([
      1,
      2,
      -Infinity,
      NaN,
      undefined,
    ])
    expect(wireMedium({ $audio: { path: '/a.wav', made: true } })).toEqual({
      kind: 'audio',
      path: '/a.wav',
      made: true,
    })
    expect([taggedValue({ $float: '1.0', b: 1 }), taggedValue({ b: 1 }), wireMedium({ $file: '/a' })]).toEqual(
      Array(3).fill(undefined),
    )
  })
})

describe.skipIf(!hasPython())('values through Python (needs python3)', () => {
  test('every kind of value keeps its type in both directions', async () => {
    const { pool, ref } = await pythonCode('def told(value): return [type(value).__name__, repr(value), value]\n')
    const forms: readonly (readonly [Json, string, string])[] = [
      [1, 'int', '1'],
      [0.1, 'float', '0.1'],
      [{ $float: '3.0' }, 'float', '3.0'],
      [{ $float: 'nan' }, 'float', 'nan'],
      [{ $float: '-inf' }, 'float', '-inf'],
      [{ $float: '1e+300' }, 'float', '1e+300'],
      [{ $int: '12345678901234567890' }, 'int', '12345678901234567890'],
      [true, 'bool', 'True'],
      [null, 'NoneType', 'None'],
      ['é\ud800"\n', 'str', `'é\\ud800"\\n'`],
      [{ $bytes: 'AP8=' }, 'bytes', "b'\\x00\\xff'"],
      [
        { $datetime: '2024-01-02T03:04:05.000006+00:00' },
        'datetime',
        'datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)',
      ],
      [{ $date: '2024-01-02' }, 'date', 'datetime.date(2024, 1, 2)'],
      [{ $time: '03:04:05' }, 'time', 'datetime.time(3, 4, 5)'],
      [{ $timedelta: [0, 1, 500_000] }, 'timedelta', 'datetime.timedelta(seconds=1, microseconds=500000)'],
      [{ $decimal: '1.50' }, 'Decimal', "Decimal('1.50')"],
      [{ $tuple: [1, { $tuple: [] }] }, 'tuple', '(1, ())'],
      [{ $set: [1, 2] }, 'set', '{1, 2}'],
      [
        {
          $dict: [
            [1, 'a'],
            [{ $tuple: [1, 2] }, { $float: '1.0' }],
          ],
        },
        'dict',
        "{1: 'a', (1, 2): 1.0}",
      ],
      [{ $dict: [['$float', 'x']] }, 'dict', "{'$float': 'x'}"],
      [{ a: [{ b: { c: [[1]] } }] }, 'dict', "{'a': [{'b': {'c': [[1]]}}]}"],
    ]
    const results = await pool.call(ref('told'), callsOf(forms.map(([value]) => value)), labelsOf(forms.length))
    expect(results).toEqual(forms.map(([value, type, text]) => ({ ok: [type, text, value] })))
  })

  test('transfers a value of 10 MB in both directions', async () => {
    const { pool, ref } = await pythonCode('def same(value): return value\n')
    const long = 'é'.repeat(5_000_000)
    const [result] = await pool.call(ref('same'), callsOf([long]), labelsOf(1))
    expect(result !== undefined && 'ok' in result && result.ok === long).toBe(true)
  })

  test('subclasses, enumerations and sets are always encoded the same way', async () => {
    const { pool, ref } = await pythonCode(`
import collections, enum, pathlib
class Level(enum.IntEnum): HIGH = 3
class Name(str): pass
Point = collections.namedtuple("Point", "x y")
def made(doc): return [Level.HIGH, Name("a"), Point(1, 2), collections.OrderedDict(b=1), {"b", "a"}, range(2), {1: 2}.keys(), pathlib.Path("/a")]
`)
    expect(await pool.call(ref('made'), callsOf([0]), labelsOf(1))).toEqual([
      { ok: [3, 'a', { $tuple: [1, 2] }, { b: 1 }, { $set: ['a', 'b'] }, [0, 1], [1], '/a'] },
    ])
  })

  test.skipIf(!hasPython('numpy'))('arrays and numbers of numpy (needs numpy)', async () => {
    const { pool, ref } = await pythonCode(`
import numpy as np
def told(value): return [str(value.dtype), value.shape, value.tolist(), value]
def numbers(value): return [np.float32(0.5), np.int64(3), np.bool_(True), np.float64(2.0), np.str_("a"), np.array(["a"])]
`)
    const array = {
      $array: {
        dtype: 'float32',
        shape: [1, 2],
        data: Buffer.from(Float32Array.of(0.5, 2.5).buffer).toString('base64'),
      },
    }
    expect(await pool.call(ref('told'), callsOf([array]), labelsOf(1))).toEqual([
      { ok: ['float32', { $tuple: [1, 2] }, [[0.5, 2.5]], array] },
    ])
    expect(await pool.call(ref('numbers'), callsOf([0]), labelsOf(1))).toEqual([
      { ok: [0.5, 3, true, { $float: '2.0' }, 'a', ['a']] },
    ])
  })

  test.skipIf(!hasPython('numpy'))(
    'audio is read only when used and written only when changed (needs numpy)',
    async () => {
      const { pool, folder, ref } = await pythonCode(`
def same(doc): return doc["audio"]
def look(doc): return [doc["audio"]["sampling_rate"], doc["audio"]["array"].tolist(), doc["audio"], dict(doc["audio"])["path"]]
def louder(doc): return {"array": doc["audio"]["array"] * 2, "sampling_rate": 8000}
`)
      const path = join(folder, 'a.wav')
      await writeFile(path, wav(Int16Array.of(0, 16384, -8192)))
      const audio = { $audio: { path } }
      const doc = { audio: { $audio: { path, decode: true } } }
      const call = async (name: string): Promise<unknown> =>
        (await pool.call(ref(name), callsOf([doc]), labelsOf(1)))[0]
      expect(await call('same')).toEqual({ ok: audio })
      expect(await call('look')).toEqual({
        ok: [8000, [{ $float: '0.0' }, 0.5, -0.25], audio, path],
      })
      const made = (await call('louder')) as { ok: { $audio: { path: string; made: boolean } } }
      expect(made).toEqual({
        ok: { $audio: { path: expect.stringMatching(/\.wav$/) as string, made: true } },
      })
      const written = await readFile(made.ok.$audio.path)
      expect(written.readUInt16LE(20)).toBe(3)
      expect([0, 1, 2].map(index => written.readFloatLE(44 + 4 * index))).toEqual([0, 1, -0.5])
    },
  )

  test.skipIf(!hasPython('PIL'))(
    'a picture remains a reference to its file until it is changed (needs Pillow)',
    async () => {
      const { pool, folder, ref } = await pythonCode(`
from PIL import Image, ImageDraw
def same(doc): return [doc["image"]]
def converted(doc): return [doc["image"].convert("RGB")]
def drawn(doc):
    ImageDraw.Draw(doc["image"]).point((0, 0), fill=(1, 2, 3))
    return [doc["image"], doc["image"].copy()]
def grey(doc): return [doc["image"].convert("L"), doc["image"].size]
`)
      const path = join(folder, 'a.jpg')
      await sharp({ create: { width: 4, height: 3, channels: 3, background: '#a0b0c0' } })
        .jpeg()
        .toFile(path)
      const call = async (name: string): Promise<unknown> =>
        (await pool.call(ref(name), callsOf([{ image: { $image: { path } } }]), labelsOf(1)))[0]
      expect(await call('same')).toEqual({ ok: [{ $image: { path } }] })
      expect(await call('converted')).toEqual({ ok: [{ $image: { path } }] })
      const { ok } = (await call('drawn')) as { ok: { $image: { path: string; made: boolean } }[] }
      const file = ok[0]!.$image.path
      // Each value has a file of its own, which can be removed alone.
      expect(ok[1]!.$image.path).not.toBe(file)
      expect(await readFile(ok[1]!.$image.path)).toEqual(await readFile(file))
      expect([...(await sharp(file).raw().toBuffer()).subarray(0, 3)]).toEqual([1, 2, 3])
      expect(await call('grey')).toMatchObject({ ok: [{ $image: { made: true } }, { $tuple: [4, 3] }] })
    },
  )

  test.skipIf(!hasPython('PIL'))(
    'a picture of a dataset remains a reference to its file, too (needs Pillow)',
    async () => {
      const { pool, folder, ref } = await pythonCode(`
def wide(doc):
    doc["width"] = doc["image"].size[0]
    return doc
def keep(dataset): return dataset.map(wide).filter(lambda doc: doc["q"] > 1)
`)
      const path = join(folder, 'a.jpg')
      await sharp({ create: { width: 4, height: 3, channels: 3, background: '#a0b0c0' } })
        .jpeg()
        .toFile(path)
      const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')]
      const image = { $image: { path } }
      await writeFile(input, [1, 2].map(q => `${JSON.stringify({ q, image, all: [image] })}\n`).join(''))
      await pool.processDocs({ ref: ref('keep'), input, output })
      expect(JSON.parse(await readFile(output, 'utf8'))).toEqual({ q: 2, image, all: [image], width: 4 })
    },
  )

  test.skipIf(hasPython('PIL'))(
    'an error without Pillow says what to install (needs a Python without Pillow)',
    async () => {
      const { pool, ref } = await pythonCode('def same(doc): return doc\n')
      expect(await pool.call(ref('same'), callsOf([{ $image: { path: '/a.png' } }, 1]), labelsOf(2))).toMatchObject([
        { error: { missing: 'pip install Pillow' } },
        { ok: 1 },
      ])
    },
  )
})

/** A WAV file of 16-bit samples, 8,000 a second. */
function wav(samples: Int16Array): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([head, Buffer.from(samples.buffer)])
}
