import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../base/network/public-address.js'

describe('isPublicAddress', () => {
  test.each([
    ['8.8.8.8', 'a public server'],
    ['1.1.1.1', 'a public server'],
    ['100.63.255.255', 'before the shared range'],
    ['100.128.0.0', 'after the shared range'],
    ['172.15.255.255', 'before a private range'],
    ['172.32.0.0', 'after a private range'],
    ['169.253.255.255', 'before link-local'],
    ['223.255.255.255', 'before multicast'],
    ['2606:4700:4700::1111', 'a public server over IPv6'],
    ['2a00:1450:4001:80b::200e', 'a public server over IPv6'],
  ])('%s is public: %s', address => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'this host'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'metadata of a cloud'],
    ['100.64.0.1', 'shared by a carrier'],
    ['100.100.100.200', 'metadata of a cloud'],
    ['100.127.255.255', 'shared by a carrier'],
    ['192.0.0.192', 'metadata of a cloud'],
    ['198.18.0.1', 'benchmarks'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback as mapped IPv4'],
    ['::ffff:7f00:1', 'loopback as mapped IPv4, in hexadecimal'],
    ['::ffff:8.8.8.8', 'any mapped IPv4 address'],
    ['::127.0.0.1', 'loopback as compatible IPv4'],
    ['64:ff9b::a9fe:a9fe', 'metadata behind NAT64'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['2002:7f00:1::', 'loopback as 6to4'],
    ['2001:0:53aa:64c:0:0:0:1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata of a cloud'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['2606:4700::1%eth0', 'a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['localhost', 'a name'],
    ['0x7f.1', 'another spelling, which no resolver returns'],
    ['', 'nothing'],
  ])('%s is not public: %s', address => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
