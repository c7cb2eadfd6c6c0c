/** Loads Python files of task folders, and computes their identity from the code that they import. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pythonErrorText } from './python-error.js'
import { writeOnceSync } from '../../../base/files/publish-once.js'
import { canonicalJson } from '../../../base/values/canonical-json.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { sha256 } from '../../digest.js'
import { gitFileId } from '../describe-sources.js'
import type { StoredPython } from '../../records.js'
import { pythonCallee } from './python-function.js'
import type { CodeOptions } from '../code-runtime.js'
import type { PythonRuntime } from './python-runtime.js'

/** A Python file with the functions that a task names. */
export interface PythonModule {
  /** The functions that the file exports, by name. */
  readonly exports: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
  /** Reasons why functions cannot be used, by name. */
  readonly problems: Readonly<Record<string, string>>
  readonly stored: StoredPython
  /** Git object ids of the files, and of data files that they name, by path relative to the file's folder, and versions of packages as `python:NAME`. */
  readonly closure: Readonly<Record<string, string>>
}

/**
 * Loads a Python file in a worker.
 *
 * @param file an absolute path
 * @param names the functions and classes that the task uses
 * @throws PipelineError if Python cannot be started
 */
export async function loadPythonModule(
  file: string,
  names: readonly string[],
  runtime: PythonRuntime,
): Promise<PythonModule> {
  const folder = dirname(file)
  const module = basename(file, '.py')
  const host = runtime.host(folder)
  const wanted = [...new Set(names)]
  const refs = wanted.map(name => ({ module, name, folder }))
  const { functions, files, packages } = await host.pool.load(refs)
  const problems: Record<string, string> = {}
  const exports: PythonModule['exports'] = Object.fromEntries(
    wanted.flatMap((name, at) => {
      const loadedFunction = functions[at]
      if (loadedFunction !== undefined && !('error' in loadedFunction))
        return [[name, pythonCallee({ module, name, folder }, host, loadedFunction)]]
      problems[name] = loadedFunction === undefined ? 'it was not loaded' : pythonErrorText(loadedFunction.error)
      return []
    }),
  )
  const near = Object.entries(files).map(([path, id]) => [normalizeSlashes(relative(folder, path)), id] as const)
  const data = namedDataFiles(Object.keys(files)).map(
    path => [normalizeSlashes(relative(folder, path)), gitFileId(path)] as const,
  )
  const versions = Object.entries(packages).map(([name, version]) => [`python:${name}`, version] as const)
  const storedCode = storedPython(file, Object.keys(files), runtime)
  runtime.keepHome(computePythonDigest(storedCode), runtime.codeHome(file))
  return { exports, problems, stored: storedCode, closure: Object.fromEntries([...near, ...data, ...versions]) }
}

const computePythonDigest = (storedCode: StoredPython): string => sha256(canonicalJson(storedCode.python))

/** Tells whether a file beside the code is data. Data files are stored with the code, because code often reads them at import. */
const isDataFile = (name: string): boolean => /(\.(ya?ml|json|txt|csv|tsv)|_yaml)$/.test(name)
const dataFileBytes = 256 * 2 ** 10
const dataBytes = 2 * 2 ** 20
/** The maximum size of a data file that is part of the code's identity. It takes about 0.1 s to read. */
const identifiedBytes = 64 * 2 ** 20

/** Matches the name of a data file at the end of a text in the code. */
const dataName = /([\w./-]*[\w-]\.(?:ya?ml|json|txt|csv|tsv)|[\w./-]*_yaml)(?=["'])/g

/**
 * The data files beside code that the code names, such as the YAML file whose `metadata` it reads at import. What they say
 * decides what the code does. Files of more than 64 MB are left out.
 */
const namedDataFiles = (sources: readonly string[]): readonly string[] => [
  ...new Set(
    sources.flatMap(source => {
      const names = Array.from(readFileSync(source, 'utf8').matchAll(dataName), ([, name = '']) => name)
      const folder = dirname(source)
      return names.map(name => join(folder, name)).filter(path => isWithin(folder, path) && isIdentifiedFile(path))
    }),
  ),
]

function isIdentifiedFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && stats.isFile() && stats.size <= identifiedBytes
}

function storedPython(file: string, imported: readonly string[], runtime: PythonRuntime): StoredPython {
  const home = runtime.codeHome(file)
  const folder = dirname(file)
  let remainingBytes = dataBytes
  const data = readdirSync(folder)
    .filter(isDataFile)
    .sort()
    .map(name => join(folder, name))
    .filter(path => {
      const { size } = statSync(path)
      remainingBytes -= size <= dataFileBytes ? size : 0
      return size <= dataFileBytes && remainingBytes >= 0
    })
  const inside = [...imported, file, ...data].filter(path => isWithin(home, path))
  const files = [...new Set(inside)]
    .sort()
    .map(path => [normalizeSlashes(relative(home, path)), readFileSync(path, 'utf8')])
  const isPackage = runtime.packagesOf(folder).length > 0
  return {
    python: {
      entry: normalizeSlashes(relative(home, file)),
      ...(isPackage && { isPackage }),
      files: Object.fromEntries(files) as Record<string, string>,
    },
  }
}

/** Returns a function of stored code. Code that this plan has loaded already is used in its folder. Other code is written to `cacheDir`. */
export async function loadStoredPython(
  storedCode: StoredPython,
  name: string,
  { cacheDir, runtime }: CodeOptions,
): Promise<(...args: readonly unknown[]) => unknown> {
  const python = pythonIn(runtime)
  const home = python.homeOf(computePythonDigest(storedCode)) ?? writtenHome(storedCode, cacheDir)
  const file = join(home, storedCode.python.entry)
  const { exports, problems } = await loadPythonModule(file, [name], python)
  const callee = exports[name]
  if (callee === undefined) throw new PipelineError('config', `${storedCode.python.entry}: ${problems[name] ?? name}`)
  return callee
}

/** Returns the Python runtime of a plan. */
export function pythonIn(runtime: CodeOptions['runtime']): PythonRuntime {
  if (runtime === undefined) throw new Error('internal error: code in Python is loaded without a runtime')
  return runtime.python
}

function writtenHome(storedCode: StoredPython, cacheDir: string): string {
  const digest = computePythonDigest(storedCode).slice('sha256:'.length)
  // Code of one folder imports code of the others through this path.
  const inner = storedCode.python.isPackage === true ? ['lmms_eval', 'tasks'] : []
  const home = join(resolve(cacheDir), `python-${digest}`, ...inner)
  for (const [path, text] of Object.entries(storedCode.python.files)) {
    const file = join(home, path)
    if (!isWithin(home, file)) throw new PipelineError('config', `${path}: stored code may not leave its folder`)
    if (existsSync(file)) continue
    mkdirSync(dirname(file), { recursive: true })
    // Another process may import the file as soon as it exists.
    writeOnceSync(file, text)
  }
  return home
}

const isWithin = (folder: string, path: string): boolean => path.startsWith(`${folder}${sep}`)
const normalizeSlashes = (path: string): string => path.split(sep).join('/')
