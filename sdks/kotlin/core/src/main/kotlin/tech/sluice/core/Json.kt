package tech.sluice.core

import tech.sluice.InternalSluiceApi

/**
 * Writes JSON (RFC 8259) from maps, lists, texts, numbers, booleans and null. Digits are ASCII in every locale.
 *
 * @throws IllegalArgumentException for other values, and for numbers that JSON does not have
 */
@InternalSluiceApi
public fun formatJson(value: Any?): String = StringBuilder().also { it.appendJson(value) }.toString()

internal fun StringBuilder.appendJson(value: Any?) {
    when (value) {
        null -> append("null")
        is CharSequence -> appendJsonText(value)
        is Boolean -> append(if (value) "true" else "false")
        is Number -> append(numberText(value))
        is Map<*, *> -> appendObject(value)
        is Iterable<*> -> appendList(value)
        else -> throw IllegalArgumentException("JSON has no ${value.javaClass.name}")
    }
}

private fun StringBuilder.appendObject(members: Map<*, *>) {
    append('{')
    var separator = ""
    for ((name, member) in members) {
        append(separator)
        appendJsonText(name.toString())
        append(':')
        appendJson(member)
        separator = ","
    }
    append('}')
}

private fun StringBuilder.appendList(items: Iterable<*>) {
    append('[')
    var separator = ""
    for (item in items) {
        append(separator)
        appendJson(item)
        separator = ","
    }
    append(']')
}

/** The methods `toString` of numbers do not depend on the locale. */
private fun numberText(value: Number): String {
    require(value !is Double || value.isFinite()) { "JSON has no $value" }
    require(value !is Float || value.isFinite()) { "JSON has no $value" }
    return value.toString()
}

internal fun StringBuilder.appendJsonText(text: CharSequence) {
    append('"')
    for (sign in text) {
        when {
            sign == '"' -> append("\\\"")
            sign == '\\' -> append("\\\\")
            sign == '\n' -> append("\\n")
            sign == '\r' -> append("\\r")
            sign == '\t' -> append("\\t")
            sign < ' ' -> append("\\u00").append(hex(sign.code shr 4)).append(hex(sign.code and 15))
            else -> append(sign)
        }
    }
    append('"')
}

private fun hex(digit: Int): Char = "0123456789abcdef"[digit]
