import { expect, test } from 'vitest'
import { appScene } from '../http/scene.js'

test('pages have a strict CSP, cannot be framed, and are cached', async () => {
  const { request } = await appScene({ viewer: true })
  const page = await request('/ui/')
  expect(await page.text()).toBe('<!doctype html><title>viewer</title>')
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const etag = page.headers.get('etag') ?? ''
  expect((await request('/ui/', { headers: { 'if-none-match': etag } })).status).toBe(304)
  const script = await request('/ui/assets/index-abcd1234.js', { headers: { 'accept-encoding': 'gzip' } })
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('content-encoding')).toBe('gzip')
  expect((await script.arrayBuffer()).byteLength).toBeLessThan(500)
})

test('no spelling of an address leads to another file', async () => {
  const { request, log } = await appScene({ viewer: true })
  for (const name of [
    'secret.pem',
    '..%2fpackage.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    'assets',
    'assets/',
    'assets/..%2findex.html',
    'assets/%2e%2e%2findex.html',
    'index.html%00',
    'index.html',
    '%5c..%5cpackage.json',
    '/etc/passwd',
    'file:///etc/passwd',
    'assets/index-abcd1234.js/',
    'ASSETS/index-abcd1234.js',
    'constructor',
    '__proto__',
  ])
    expect({ name, status: (await request(`/ui/${name}`)).status }).toEqual({ name, status: 404 })
  expect(
    (await request('/ui/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
  ).toBe(405)
  expect(log).toEqual([])
})
