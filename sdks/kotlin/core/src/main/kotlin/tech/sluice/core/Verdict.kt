package tech.sluice.core

/** A reason of the service: an entry of its error bodies. */
internal class Refusal(val field: String, val message: String) {
    override fun toString(): String = if (field.isEmpty()) message else "$field: $message"
}

/** Consequence of an answer for a batch. */
internal enum class Meaning {
    /** The service has the batch, except the messages that the reasons name. */
    STORED,
    TOO_LARGE,

    /** It never takes the batch as it is. */
    REFUSED,

    /** It does not accept the credentials. */
    UNAUTHORIZED,

    /** It has certainly not stored the batch, and may take it later. */
    LATER,

    /** It may have stored the batch, or not. */
    UNKNOWN,
}

/**
 * The service's answer to a batch.
 *
 * @property isOfService false for an answer of another program, such as a proxy, and without an answer
 * @property reasons why the batch was refused, or which messages of a stored batch were, and why
 * @property dropped values that were left out of stored messages
 */
internal class Verdict(val meaning: Meaning, val isOfService: Boolean, val reasons: List<Refusal>, val dropped: List<Refusal>) {
    /** True if a daily quota of the source is used up. */
    val isForQuota: Boolean get() = reasons.any { it.message == "error.request.quotaExceeded" }
}

/** Classifies an answer. It is `UNKNOWN` if it is missing or not the service's (a captive portal, a proxy). */
internal fun readVerdict(answer: HttpAnswer?): Verdict {
    val body = answer?.let { attempt { parseJson(it.body) } }
    val refusals = readRefusals(body)
    val members = body as? Map<*, *>
    val meaning =
        when {
            answer == null -> Meaning.UNKNOWN
            answer.status == 200 -> if (members?.get("status") == "QUEUED") Meaning.STORED else Meaning.UNKNOWN
            refusals.isEmpty() -> Meaning.UNKNOWN
            isOfWrongPath(answer, refusals) -> Meaning.LATER
            else -> readMeaning(answer.status)
        }
    val reasons = if (meaning == Meaning.STORED) readRefusals(members?.get("rejected")) else refusals
    val isOfService = meaning == Meaning.STORED || (answer != null && refusals.isNotEmpty() && !isOfWrongPath(answer, refusals))
    return Verdict(meaning, isOfService, reasons, readRefusals(members?.get("dropped")))
}

/** True for a service that has the host but not this path: it says nothing about the source and its key. */
private fun isOfWrongPath(answer: HttpAnswer, refusals: List<Refusal>): Boolean =
    answer.status == 404 && refusals.any { it.message == "error.request.notFound" }

private fun readMeaning(status: Int): Meaning =
    when (status) {
        400, 415, 417, 431 -> Meaning.REFUSED
        401, 403, 404, 405 -> Meaning.UNAUTHORIZED
        413 -> Meaning.TOO_LARGE
        408, 429 -> Meaning.LATER
        else -> Meaning.UNKNOWN
    }

private fun readRefusals(list: Any?): List<Refusal> {
    val refusals = (list as? List<*>).orEmpty().map { readRefusal(it as? Map<*, *>) }
    return if (null in refusals) emptyList() else refusals.filterNotNull()
}

private fun readRefusal(entry: Map<*, *>?): Refusal? {
    val field = entry?.get("field") as? String
    val message = entry?.get("message") as? String
    return if (field != null && message != null) Refusal(field, message) else null
}

/** Number of messages of a batch that the reasons name; `list[3].userId` names the fourth. */
internal fun messagesNamed(reasons: List<Refusal>): Int = reasons.map { numberIn(it.field) }.toSet().size

private fun numberIn(field: String): String? =
    if (field.startsWith("list[")) field.substring(5).substringBefore(']', "").ifEmpty { null } else null
