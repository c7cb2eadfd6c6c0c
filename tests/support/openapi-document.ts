/** The OpenAPI document of the service, without a server. */
import { createApp } from '../../src/service/http/app.js'
import { JobSeconds } from '../../src/service/jobs/job-seconds.js'
import { ModelUsage } from '../../src/service/jobs/model-usage.js'
import type { Service } from '../../src/service/service.js'
import { MemoryStore } from './memory-store.js'

/** The parts of a schema that clients are made from. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly description?: string
  readonly default?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export interface Operation {
  readonly summary: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

export interface ServiceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export async function serviceDocument(): Promise<ServiceDocument> {
  const rate = { perSecond: 10, burst: 10 }
  const settings = { hosts: ['localhost'], origins: [], needsToken: false, maxBodyBytes: 1, rate }
  // Describing the operations reads neither tasks nor runs.
  const service = {
    store: new MemoryStore(),
    settings,
    jobSeconds: new JobSeconds(),
    modelUsage: new ModelUsage(),
  } as unknown as Service
  const answer = await createApp(service).request('/openapi.json', { headers: { host: 'localhost' } })
  // The document of the service has these parts.
  return (await answer.json()) as ServiceDocument
}
