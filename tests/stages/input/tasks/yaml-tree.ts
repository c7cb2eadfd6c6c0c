import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Json } from '../../../../base/values/canonical-json.js'

/** TypeScript versions of the Python functions of the golden trees. */
const functions = `
const kwarg = (kwargs, name) => (kwargs ?? {})[name] ?? ''
export const upFilter = (texts, doc) => texts.map(text => text.toUpperCase() + '!')
export const text1 = doc => 'T1:' + doc.q
export const text2 = (doc, kwargs) => kwarg(kwargs, 'pre_prompt') + doc.q + kwarg(kwargs, 'post_prompt')
export const target1 = doc => doc.ans
export const target2 = (doc, kwargs) => String(kwargs) + '|' + doc.ans
export const visual = doc => [doc.img]
export const visual2 = (doc, kwargs) => Array(Number((kwargs ?? {}).n ?? 1)).fill(doc.img)
export const choice = doc => doc.opts
export const pdocs = docs => docs.filter(doc => doc.label === 0)
export const pmap = docs => docs.map(doc => ({ ...doc, q: doc.q.toUpperCase() }))
export const pres = (doc, [answer]) => ({ hit: Number(String(answer).trim().toLowerCase() === doc.ans.toLowerCase()) })
export const agg = values => values.length * 100
export const agg2 = values => values.reduce((sum, value) => sum + value, 0)
export const msgs = (doc, kwargs) => [
  { role: 'system', content: [{ type: 'text', text: 'S' }] },
  { role: 'user', content: [{ type: 'image', url: doc.img }, { type: 'text', text: doc.q + kwarg(kwargs, 'post_prompt') }] },
]
export const metricfn = ({ text }) => text.length
`

const docs = readFileSync(new URL('../../../golden/tasks/yaml-docs.json', import.meta.url), 'utf8')

/** Writes a golden tree with the data that all of them read, functions in TypeScript, and pictures as names of files. */
export async function writeTree(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const lines = (withMarks(JSON.parse(docs) as Json) as readonly Json[]).map(doc => JSON.stringify(doc)).join('\n')
  for (const split of ['test', 'train', 'validation']) await write(join(folder, `syn/gates/${split}.jsonl`), lines)
  for (const [name, text] of Object.entries(files)) {
    const isCode = name.endsWith('.py')
    const own = text.replaceAll('syn/gates', join(folder, 'syn/gates')).replaceAll('utils.UpFilter', 'utils.upFilter')
    await write(join(folder, isCode ? name.replace(/\.py$/, '.ts') : name), isCode ? functions : own)
  }
}

/** `{"$image": [8, 6, "RGB"]}` as the name of a file. */
export function withMarks(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withMarks)
  if (typeof value !== 'object' || value === null) return value
  if ('$image' in value) return `image-${JSON.stringify(value['$image']).replace(/\W+/g, '-')}.png`
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, Json>>).map(([key, item]) => [key, withMarks(item)]),
  )
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
