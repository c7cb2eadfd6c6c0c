import { existsSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { atMost, megabytes, note, seconds, type Figure, type Measurement } from './measurement.js'
import { evalLine } from './trivial-task.js'
import { runProgram } from './program.js'

const docs = 10_000
const name = 'pictured'

/** Measures a report of 10,000 samples with pictures in one HTML file: writing it, and opening it in Chromium. */
export const reportFile: Measurement = {
  name: 'report-file',
  async measure(folder) {
    await writeTask(join(folder, name))
    const store = join(folder, 'store')
    await runProgram(evalLine({ name, folder: join(folder, name) }, store))
    const file = join(folder, 'report.html')
    const written = await runProgram(['report', 'last', '--html', file, '--store', store])
    const { size } = await stat(file)
    return [
      note('a report of 10,000 samples with pictures in one file', seconds(written.wall)),
      atMost('  its memory', written.peak, 700, megabytes),
      note('  its size', megabytes(size / 1e6)),
      ...(await openingTimes(file)),
    ]
  },
}

const chromium = [process.env['PIPELINE_CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  path => path !== '' && existsSync(path),
)

/** Opens the pages of the run and of its samples, from the start of the navigation until their content is there. */
async function openingTimes(file: string): Promise<readonly Figure[]> {
  if (chromium === undefined) return [note('  opening it', 'not measured: no Chromium')]
  const { chromium: driver } = await import('playwright-core')
  const browser = await driver.launch({
    executablePath: chromium,
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    chromiumSandbox: process.getuid?.() !== 0,
  })
  const opened = async (hash: string, selector: string): Promise<number> => {
    const page = await browser.newPage()
    const startedAt = performance.now()
    await page.goto(`${pathToFileURL(file).href}${hash}`, { waitUntil: 'commit' })
    await page.locator(selector).first().waitFor()
    const time = (performance.now() - startedAt) / 1000
    await page.close()
    return time
  }
  try {
    const page = await browser.newPage()
    await page.goto(pathToFileURL(file).href)
    const link = await page.locator('main a[href*="#/runs/"]').first().getAttribute('href')
    await page.close()
    const run = /#\/runs\/[^/?]+/.exec(link ?? '')?.[0] ?? ''
    return [
      atMost('  opening the page of the run', await opened(run, 'main table'), 2, seconds),
      atMost('  opening its samples, until a picture is there', await opened(`${run}/samples`, 'main img'), 2, seconds),
    ]
  } finally {
    await browser.close()
  }
}

/** A picture of 400 pixels for each doc, all different. */
async function writeTask(folder: string): Promise<void> {
  await mkdir(join(folder, 'img'), { recursive: true })
  const lines: string[] = []
  for (let id = 0; id < docs; id += 1) {
    await writeFile(join(folder, 'img', `${id}.jpg`), await picture(id))
    lines.push(
      JSON.stringify({ id, question: `What is in picture ${id}?`, image: `img/${id}.jpg`, answer: String(id) }),
    )
  }
  await writeFile(join(folder, 'docs.jsonl'), lines.join('\n'))
  await writeFile(
    join(folder, `${name}.yaml`),
    [
      `task: ${name}`,
      'dataset_path: docs.jsonl',
      'doc_to_visual: image',
      'doc_to_text: "{{question}}"',
      'doc_to_target: "{{answer}}"',
      'metric_list: [{metric: exact_match}]',
    ].join('\n'),
  )
}

/** Smooth like a photo, because plain noise would be too large in every format. */
function picture(id: number): Promise<Buffer> {
  const side = 24
  const pixels = Buffer.from(
    Array.from({ length: side * side * 3 }, (_, at) => (at * 7 + id * 31 + ((at * (id + 13)) % 61)) % 256),
  )
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .resize(400, 400)
    .jpeg({ quality: 80 })
    .toBuffer()
}
