package tech.sluice.core

/**
 * The request that sends a batch. With `handling=lenient`, a bad message is refused without the others. [sentAt] is the
 * present time in milliseconds since 1970 by the device's clock, so that the service knows how wrong it is.
 */
internal fun batchRequest(batch: Batch, apiKey: String, texts: List<String>, sentAt: Long): HttpRequest =
    HttpRequest(
        method = "POST",
        url = makeUrl(batch),
        headers =
            mapOf(
                "Authorization" to "Bearer $apiKey",
                "Content-Type" to "application/json",
                "Idempotency-Key" to batch.key,
                "Prefer" to "handling=lenient, sent-at=$sentAt",
            ),
        body = joinTexts(texts),
    )

/** Below an operator's own address endpoints have short names, which content blockers do not recognize. */
private fun makeUrl(batch: Batch): String {
    val source = percentEncoded(batch.sourceIdentifier)
    if (batch.host.endsWith('/')) return "${batch.host}$source/${batch.kind.path.first()}b"
    return "${batch.host}/api/tracker/sdk/$source/${batch.kind.path}Batch"
}

private const val HEX = "0123456789ABCDEF"

/** Percent-encodes all but the unreserved characters of RFC 3986. */
internal fun percentEncoded(text: String): String =
    buildString {
        for (byte in text.toByteArray()) {
            val code = byte.toInt() and 255
            val sign = code.toChar()
            if (isLetterOrDigit(sign) || sign in "-_.~") append(sign) else append('%').append(HEX[code shr 4]).append(HEX[code and 15])
        }
    }

/** True for letters and digits of ASCII. */
internal fun isLetterOrDigit(sign: Char): Boolean = sign in 'a'..'z' || sign in 'A'..'Z' || sign in '0'..'9'
