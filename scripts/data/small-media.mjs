// Makes the data of tasks/small_media from media that others published, and writes their checksums.
//
//   node scripts/data/small-media.mjs DIR      DIR holds images/, video/ and speech-prompts/ (docs/tasks/small-media.md names their sources)
//
// Needs ffmpeg. The output is the same on each run, so that `git status` shows what changed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

const [source] = process.argv.slice(2)
if (source === undefined) {
  process.stderr.write('small-media: name the folder of the sources: node scripts/data/small-media.mjs DIR\n')
  process.exit(1)
}
const target = join(import.meta.dirname, '../../tasks/small_media/data')

/** The SHA-256 digests of the sources, from their beginning. */
const known = {
  'images/bw_text.png': '308c2b09f8975a69',
  'images/digits.png': '60c917758ef97cc0',
  'images/chelsea.png': '596aa1e7cb875eb7',
  'images/coffee.png': 'cc02f8ca188b167c',
  'images/rocket.jpg': 'c2dd0de7c538df8d',
  'video/cockatoo.mp4': '5fde35f5a288ca86',
  'video/oa4_launch.webm': '1a32f2934354c655',
  'speech-prompts/transcripts.trn': '74b713b569145f16',
}

const digest = bytes => createHash('sha256').update(bytes).digest('hex')

function readSource(path) {
  const bytes = readFileSync(join(source, path))
  if (path in known && !digest(bytes).startsWith(known[path]))
    throw new Error(`${path} is another file than the one that the task was made of: ${digest(bytes)}`)
  return bytes
}

const writeRows = (name, rows) =>
  writeFileSync(join(target, name), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
const embed = bytes => ({ bytes: Buffer.from(bytes).toString('base64') })
const number = index => String(index).padStart(3, '0')

rmSync(target, { recursive: true, force: true })
mkdirSync(join(target, 'speech'), { recursive: true })
mkdirSync(join(target, 'sounds'))

await cutWords()
await cutDigits()
await resizePhotos()
const prompts = copyPrompts()
listSounds(prompts, makeSounds())
writeChecksums()

/** Cuts a page of black letters into its words: lines are bands with ink, words are parted by wide gaps. */
async function cutWords() {
  const text = `Men may seem detestable as joint stock-companies and nations; knaves, fools, and murderers there may be;
    men may have mean and meagre faces; but, man, in the ideal, is so noble and so sparkling, such a grand and glowing
    creature, that over any ignominious blemish in him all his fellows should run to throw their costliest robes.`
  const words = text.split(/\s+/)
  const page = sharp(readSource('images/bw_text.png')).greyscale()
  const { data, info } = await page.clone().raw().toBuffer({ resolveWithObject: true })
  const hasInk = (x, y) => data[y * info.width + x] < 128
  const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i)
  const rows = range(0, info.height).filter(y => range(0, info.width).some(x => hasInk(x, y)))
  const boxes = bands(rows, 2).flatMap(([top, bottom]) => {
    const columns = range(0, info.width).filter(x => range(top, bottom + 1).some(y => hasInk(x, y)))
    return bands(columns, 7).map(([left, right]) => ({ top, bottom, left, right }))
  })
  if (boxes.length !== words.length) throw new Error(`${boxes.length} boxes for ${words.length} words`)
  const docs = []
  for (const [at, { top, bottom, left, right }] of boxes.entries()) {
    const area = { left: left - 4, top: top - 4, width: right - left + 9, height: bottom - top + 9 }
    const image = await page.clone().extract(area).png({ palette: true, colours: 2 }).toBuffer()
    docs.push({ id: `word-${number(at)}`, image: embed(image), word: words[at] })
  }
  writeRows('words.jsonl', docs)
}

/** Joins positions to bands that are parted by more than `gap` others. */
function bands(positions, gap) {
  const found = []
  for (const position of positions) {
    const last = found.at(-1)
    if (last === undefined || position - last[1] > gap) found.push([position, position])
    else last[1] = position
  }
  return found
}

/** Takes twenty of the five hundred pictures of each digit, evenly. */
async function cutDigits() {
  const side = 20
  const sheet = sharp(readSource('images/digits.png'))
  const docs = []
  for (let index = 0; index < 200; index += 1) {
    const digit = index % 10
    const nth = Math.floor(index / 10) * 25
    const area = {
      left: (nth % 100) * side,
      top: (digit * 5 + Math.floor(nth / 100)) * side,
      width: side,
      height: side,
    }
    const image = await sheet.clone().extract(area).png({ compressionLevel: 9 }).toBuffer()
    docs.push({ id: `digit-${number(index)}`, image: embed(image), digit: String(digit) })
  }
  writeRows('digits.jsonl', docs)
}

async function resizePhotos() {
  const frame = (path, index) => {
    readSource(path)
    const args = [
      '-i',
      join(source, path),
      '-vf',
      `select=eq(n\\,${index})`,
      '-frames:v',
      '1',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      '-',
    ]
    return execFileSync('ffmpeg', ['-v', 'error', ...args], { maxBuffer: 2 ** 26 })
  }
  const photos = [
    ['cat', readSource('images/chelsea.png'), 'a cat'],
    ['espresso', readSource('images/coffee.png'), 'an espresso'],
    ['rocket', readSource('images/rocket.jpg'), 'a rocket'],
    ['launch', frame('video/oa4_launch.webm', 180), 'a rocket'],
    ['cockatoo', frame('video/cockatoo.mp4', 210), 'a cockatoo'],
  ]
  const docs = []
  for (const [id, bytes, name] of photos) {
    const image = await sharp(bytes).resize({ width: 320, height: 320, fit: 'inside' }).jpeg({ quality: 88 }).toBuffer()
    docs.push({ id, image: embed(image), class: name })
  }
  writeRows('classes.jsonl', docs)
}

/** Takes the sixteen shortest prompts. */
function copyPrompts() {
  const transcripts = readSource('speech-prompts/transcripts.trn').toString('utf8').trim().split('\n')
  const read = transcripts.map(line => /^(.*) \((.*)\)$/.exec(line).slice(1))
  const all = read.map(([text, name]) => ({ text, name, bytes: readSource(`speech-prompts/${name}.wav`) }))
  const prompts = all
    .toSorted((a, b) => a.bytes.length - b.bytes.length)
    .slice(0, 16)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const docs = prompts.map(({ name, text, bytes }) => {
    writeFileSync(join(target, 'speech', `${name}.wav`), bytes)
    return { id: name, audio: `speech/${name}.wav`, text }
  })
  writeRows('prompts.jsonl', docs)
  return docs
}

/** Makes sounds that nobody speaks, 1.5 seconds each. */
function makeSounds() {
  const rate = 8_000
  const count = rate * 1.5
  const random = makeRandom(7)
  const noise = Array.from({ length: count }, () => random() * 2 - 1)
  const tone = hertz => t => Math.sin(2 * Math.PI * hertz * t)
  const every = (t, period, length) => t % period < length
  const pluck = new Float64Array(count)
  const string = Array.from({ length: 36 }, (_, i) => noise[i])
  for (let i = 0; i < count; i += 1) {
    pluck[i] = string[i % 36]
    string[i % 36] = 0.498 * (string[i % 36] + string[(i + 1) % 36])
  }
  const sounds = {
    silence: () => 0,
    'white-noise': (t, i) => noise[i] * 0.5,
    'low-hum': t => (tone(50)(t) + tone(100)(t) / 2 + tone(150)(t) / 3) / 2,
    'dial-tone': t => (tone(350)(t) + tone(440)(t)) / 2,
    'busy-signal': t => (every(t, 0.5, 0.25) ? (tone(480)(t) + tone(620)(t)) / 2 : 0),
    'alarm-beeps': t => (every(t, 0.25, 0.08) ? tone(2_000)(t) : 0),
    'siren-sweep': t => Math.sin(2 * Math.PI * (900 * t - (500 / (2 * Math.PI)) * Math.cos(2 * Math.PI * t))),
    'clock-ticks': (t, i) => (every(t, 0.5, 0.01) ? noise[i] : 0),
    'plucked-string': (t, i) => pluck[i],
    'bell-stroke': t =>
      [1, 2.76, 5.4].reduce((sum, part) => sum + tone(440 * part)(t) / part, 0) * Math.exp(-3 * t) * 0.6,
    'sea-waves': (t, i) => noise[i] * (0.4 + 0.35 * tone(0.7)(t)) * 0.8,
    'square-wave': t => Math.sign(tone(220)(t)) * 0.4,
  }
  return Object.entries(sounds).map(([name, sound]) => {
    const samples = Buffer.alloc(count * 2)
    for (let i = 0; i < count; i += 1)
      samples.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sound(i / rate, i))) * 16_000), i * 2)
    writeFileSync(join(target, 'sounds', `${name}.wav`), wav(samples, rate))
    return { id: name, audio: `sounds/${name}.wav` }
  })
}

/** The sounds between the shortest of the prompts. */
function listSounds(prompts, sounds) {
  const docs = sounds.flatMap((sound, at) => [
    { id: prompts[at].id, audio: prompts[at].audio, speech: 'yes' },
    { ...sound, speech: 'no' },
  ])
  writeRows('sounds.jsonl', docs)
}

/** A linear congruential generator of numbers from 0 to 1. */
function makeRandom(seed) {
  let state = seed
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}

function wav(samples, rate) {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

function writeChecksums() {
  const files = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(target.length + 1))
    .sort()
  const lines = files.map(file => `${digest(readFileSync(join(target, file)))}  ${file}\n`)
  writeFileSync(join(target, 'SHA256SUMS'), lines.join(''))
}
