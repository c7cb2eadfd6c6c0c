import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Json } from '../../../base/values/canonical-json.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { limitedFunction } from '../../../base/time/time-limit.js'
import { buildInfo, projectRoot } from '../../../cache/code/build-info.js'
import { gitBlobId } from '../../../cache/code/describe-sources.js'
import type { CodeOptions } from '../../../cache/code/code-runtime.js'
import { loadUserCode } from '../../../cache/code/load-user-code.js'
import { loadPythonModule, pythonIn } from '../../../cache/code/python/python-module.js'
import { loadBuiltinCode } from '../../../cache/code/stored-code.js'
import type { StoredCode, StoredFunction, StoredFunctions } from '../../../cache/records.js'
import { type FunctionRef, functionText, isFunctionRef, type PlacedRef, refsIn } from './function-ref.js'
import type { ResolvedYaml } from './yaml/resolve-yaml.js'

/** The code beside a task's YAML. */
export interface TaskCode {
  /** Modules by file relative to the task's folder (`utils.ts`). */
  readonly modules: ReadonlyMap<string, LoadedModule>
  /** Git object ids of all files that can change what the functions do. */
  readonly closure: Readonly<Record<string, string>>
  readonly problems: readonly string[]
  readonly runtime?: CodeOptions['runtime']
}

interface LoadedModule {
  readonly exports: Readonly<Record<string, unknown>>
  readonly stored: StoredCode
  readonly closure: Readonly<Record<string, string>>
  /** The reason why a name cannot be used, by name. */
  readonly problems?: Readonly<Record<string, string>>
}

/**
 * Loads each referenced file once, and checks that every referenced export exists.
 *
 * @param options.given the code of a task that is written in code. A group may override its keys with functions of other files.
 */
export async function loadTaskCode(
  yaml: ResolvedYaml,
  options: CodeOptions & { readonly given?: TaskCode },
): Promise<TaskCode> {
  const folder = dirname(yaml.file)
  const modules = new Map<string, LoadedModule>(options.given?.modules)
  const problems: string[] = [...(options.given?.problems ?? [])]
  const failed = new Set<string>()
  const refs = [...refsIn(yaml.values)]
  const { runtime } = options
  const load = async (file: string): Promise<LoadedModule> =>
    isPython(file) ? loadPythonModule(file, namesIn(refs, file, runtime), pythonIn(runtime)) : loadModule(file, options)
  for (const { ref, path } of refs) {
    const file = moduleFile(ref, runtime)
    const name = file === undefined ? ref.module : moduleName(file, folder)
    const location = `${yaml.at(path)}  !function ${functionText(ref)}`
    if (file === undefined) problems.push(`${location}: ${missingModule(ref)}`)
    else if (!modules.has(name) && !failed.has(name)) {
      const loaded = await load(file).catch((error: unknown) => recordRefusal(error, { problems, location }))
      if (loaded === undefined) failed.add(name)
      else modules.set(name, loaded)
    }
    const loaded = modules.get(name)
    const problem = loaded?.problems?.[ref.name] ?? missingExport(ref, loaded?.exports, name)
    if (problem !== undefined) problems.push(`${location}: ${problem}`)
  }
  return { modules, closure: collectClosure(modules), problems, runtime }
}

function missingModule(ref: FunctionRef): string {
  const name = ref.module.replaceAll('.', '/')
  return `no file ${name}.ts or ${name}.py beside it`
}

const isPython = (file: string): boolean => file.endsWith('.py')

/** Lists the names that references use of a file. */
const namesIn = (refs: readonly PlacedRef[], file: string, runtime: CodeOptions['runtime']): readonly string[] =>
  refs.flatMap(({ ref }) => (moduleFile(ref, runtime) === file ? [ref.name] : []))

/**
 * Returns the function of a reference that {@link loadTaskCode} has checked. Users' functions run with a time limit.
 */
export function findFunction(
  ref: FunctionRef,
  code: TaskCode,
  folder: string,
): (...args: readonly unknown[]) => unknown {
  const file = moduleFile(ref, code.runtime)
  const module = file === undefined ? undefined : code.modules.get(moduleName(file, folder))
  const exportedValue = module?.exports[ref.name]
  if (module === undefined || typeof exportedValue !== 'function')
    throw new Error(`internal error: ${functionText(ref)} was not checked`)
  const callee = exportedValue as (...args: readonly unknown[]) => unknown
  return 'source' in module.stored ? limitedFunction(functionText(ref), callee, code.runtime?.timeLimit) : callee
}

/** Returns the key of a reference's module, relative to the task's folder. */
function makeModuleName(ref: FunctionRef, folder: string, runtime: CodeOptions['runtime']): string {
  const file = moduleFile(ref, runtime)
  return file === undefined ? ref.module : moduleName(file, folder)
}

function moduleFile(ref: FunctionRef, runtime: CodeOptions['runtime']): string | undefined {
  if (ref.path !== undefined) return ref.path
  const folder = dirname(ref.file)
  // `a.b` is `a/b.ts`; some task folders have it as one file `a.b.ts`.
  const bases = [
    join(folder, ...ref.module.split('.')),
    join(folder, ref.module),
    ...packagedBases(ref, folder, runtime),
  ]
  return bases.flatMap(base => ['.ts', '.mts', '.js', '.mjs', '.py'].map(ending => base + ending)).find(existsSync)
}

/** Lists the files of a packaged module: `lmms_eval.tasks.x.utils` is `x/utils.py` in the parent folder of the task folders. */
const packagedBases = ({ module }: FunctionRef, folder: string, runtime: CodeOptions['runtime']): readonly string[] =>
  module.startsWith('lmms_eval.tasks.')
    ? (runtime?.python.packagesOf(folder) ?? []).map(root => join(root, ...module.split('.').slice(2)))
    : []

const convertSlashes = (path: string): string => path.split(sep).join('/')
const moduleName = (file: string, folder: string): string => convertSlashes(relative(folder, file))

async function loadModule(file: string, options: { readonly cacheDir: string }): Promise<LoadedModule> {
  const path = convertSlashes(relative(projectRoot, file))
  if (!path.startsWith('tasks/')) {
    const { module, source, closure } = await loadUserCode(file, options)
    return { exports: module, stored: { source }, closure }
  }
  return { exports: await loadBuiltinCode(path), stored: { builtin: path }, closure: await builtinClosure(path) }
}

/** Returns the code of a built-in task: every source file in its folder and in the folders that tasks share. */
async function builtinClosure(path: string): Promise<Record<string, string>> {
  const folder = dirname(path)
  const { files } = buildInfo()
  if (files[path] === undefined) return { [path]: gitBlobId(await readFile(join(projectRoot, path))) }
  const near = Object.entries(files).filter(
    ([file]) => file.endsWith('.ts') && (file.startsWith(`${folder}/`) || file.startsWith('tasks/_shared/')),
  )
  return Object.fromEntries(near.map(([file, id]) => [convertSlashes(relative(folder, file)), id]))
}

function collectClosure(modules: ReadonlyMap<string, LoadedModule>): Record<string, string> {
  const files = [...modules].flatMap(([name, { closure }]) =>
    Object.entries(closure).map(([file, id]) => [joinModulePath(file, name), id] as const),
  )
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Joins a file and a module path. Versions of Python packages stay unchanged. */
const joinModulePath = (file: string, module: string): string =>
  file.startsWith('python:') ? file : convertSlashes(join(dirname(module), file))

function recordRefusal(error: unknown, to: { readonly problems: string[]; readonly location: string }): undefined {
  if (!(error instanceof PipelineError)) throw error
  to.problems.push(...error.said)
  return undefined
}

function missingExport(
  ref: FunctionRef,
  exports: Readonly<Record<string, unknown>> | undefined,
  module: string,
): string | undefined {
  if (exports === undefined || typeof exports[ref.name] === 'function') return undefined
  if (ref.name in exports) return `${module} exports "${ref.name}", but it is no function`
  const names = Object.keys(exports).sort()
  const list = names.length === 0 ? 'nothing' : names.join(', ')
  return `${module} exports no "${ref.name}" (it exports ${list}).${didYouMean(ref.name, names)}`
}

/** Functions in stored form: a text in the configuration, and the code for each text. */
interface PlacedFunctions {
  /** Returns `!function utils.name`, and records that it is used. */
  readonly storeReference: (ref: FunctionRef) => string
  /** Converts a value to JSON, with its functions recorded. */
  readonly plain: (value: unknown) => Json
  /** The recorded functions by text, their `code`, and the closure of all code. Empty where none is used. */
  readonly stored: () => StoredFunctions
}

export function storedFunctions(code: TaskCode, folder: string): PlacedFunctions {
  const functions: Record<string, StoredFunction> = {}
  const storeReference = (ref: FunctionRef): string => {
    const text = `!function ${functionText(ref)}`
    functions[text] = { function: functionText(ref), code: makeModuleName(ref, folder, code.runtime) }
    return text
  }
  const plain = (value: unknown): Json => {
    if (isFunctionRef(value)) return storeReference(value)
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
    return value as Json
  }
  return {
    storeReference,
    plain,
    stored() {
      const needed = new Set(Object.values(functions).map(callee => callee.code))
      if (needed.size === 0) return {}
      const sources = [...code.modules].flatMap(([name, module]) =>
        needed.has(name) ? [[name, module.stored] as const] : [],
      )
      return { functions, code: Object.fromEntries(sources), closure: code.closure }
    },
  }
}

/**
 * Replaces each incomplete module by functions that do nothing, so that scoring rules which name them can still be
 * checked.
 */
export function withStubs(code: TaskCode, values: unknown, folder: string): TaskCode {
  const refsByModule = new Map<string, FunctionRef[]>()
  for (const { ref } of refsIn(values)) {
    const module = makeModuleName(ref, folder, code.runtime)
    refsByModule.set(module, [...(refsByModule.get(module) ?? []), ref])
  }
  const modules = new Map(code.modules)
  for (const [module, refs] of refsByModule)
    if (refs.some(({ name }) => typeof modules.get(module)?.exports[name] !== 'function'))
      modules.set(module, stubs(refs))
  return { ...code, modules }
}

function stubs(refs: readonly FunctionRef[]): LoadedModule {
  const names = [...new Set(refs.map(({ name }) => name))]
  const source = `const stub = () => undefined\nexport { ${names.map(name => `stub as ${name}`).join(', ')} }\n`
  return { exports: {}, stored: { source }, closure: {} }
}
