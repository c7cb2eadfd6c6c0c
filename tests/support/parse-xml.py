"""Parses the XML on standard input and prints its elements as JSON: [tag, attributes, text, children]."""

import json
import sys
import xml.etree.ElementTree as ElementTree


def element(node):
    return [node.tag, node.attrib, node.text, [element(child) for child in node]]


print(json.dumps(element(ElementTree.fromstring(sys.stdin.buffer.read()))))
