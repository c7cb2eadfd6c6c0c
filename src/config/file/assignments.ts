/** Parses `--set KEY=VALUE`, which overrides values of a configuration file. */
import { PipelineError } from '../../../base/errors/errors.js'
import { emptyTable } from '../../../base/values/named-values.js'
import { readYamlValue } from '../values/yaml-value.js'
import { emptyMapping, isMapping, mergeMappings, type ConfigMapping } from './config-mapping.js'

interface Assignment {
  readonly path: readonly string[]
  readonly value: unknown
}

/**
 * Reads assignments such as `models.mini.model_args.timeout=9`. Values are YAML. A name with dots must be quoted. A file path in a value is relative
 * to the working directory.
 *
 * @throws PipelineError if a text is no assignment
 */
export function readAssignments(texts: readonly string[]): ConfigMapping {
  const layers = texts.map(text => makeLayer(readAssignment(text)))
  return mergeMappings(layers, emptyMapping)
}

/** Rejects an assignment into a list, which would replace the list by a mapping. @throws PipelineError */
export function refuseListItems(texts: readonly string[], { value }: ConfigMapping): void {
  for (const { path } of texts.map(readAssignment)) {
    let inner: unknown = value
    for (const [index, name] of path.slice(0, -1).entries()) {
      inner = isMapping(inner) ? inner[index === 0 ? name.replaceAll('-', '_') : name] : undefined
      if (!Array.isArray(inner)) continue
      const list = path.slice(0, index + 1).join('.')
      throw new PipelineError(
        'usage',
        `--set ${path.join('.')}: ${list} is a list. Give the whole list: --set '${list}=[…, …]'`,
      )
    }
  }
}

function readAssignment(text: string): Assignment {
  const [, keyPath = '', value = ''] = /^((?:"[^"]*"|[^="])+)=(.*)$/su.exec(text) ?? []
  const path = [...keyPath.matchAll(/"([^"]*)"|[^."]+/gu)].map(([name, quoted]) => quoted ?? name.trim())
  if (path.length === 0 || path.includes('') || /^\.|\.\.|\.$/u.test(keyPath))
    throw new PipelineError('usage', `--set: expected KEY=VALUE or KEY.KEY=VALUE, given "${text}"`)
  return { path, value: readYamlValue(value) }
}

function makeLayer({ path, value }: Assignment): ConfigMapping {
  const place = `--set ${path.join('.')}`
  const nested = path.reduceRight<unknown>((inner, name) => Object.assign(emptyTable(), { [name]: inner }), value)
  return { ...emptyMapping, value: isMapping(nested) ? nested : {}, placeOf: () => place, placeOfKey: () => place }
}
