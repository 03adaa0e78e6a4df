package tech.sluice.push

import tech.sluice.InternalSluiceApi
import tech.sluice.core.parseJson

/** Value of `source` in the service's payloads, as in sdks/contract/service-source-tag.json. */
@InternalSluiceApi
public const val SERVICE_SOURCE_TAG: String = "sluice-push"

private const val MAX_BUTTONS = 3

/** A button of a notification, and its target. */
@InternalSluiceApi
public class PushButton(public val title: String, public val action: String?)

/** Notification described by a payload of the service. Optional texts that are missing or empty in it are null. */
@InternalSluiceApi
public class PushPayload(
    public val id: String,
    public val title: String,
    public val body: String?,
    public val image: String?,
    public val action: String?,
    public val buttons: List<PushButton>,
    public val customData: Map<String, String>,
)

/** Reads the data of a push message; null if it is not from the service and must be ignored. */
@InternalSluiceApi
public fun payloadOf(data: Map<String, String?>?): PushPayload? {
    if (data == null || data["source"] != SERVICE_SOURCE_TAG) return null
    val id = given(data["id"]) ?: return null
    return PushPayload(
        id,
        given(data["title"]).orEmpty(),
        given(data["body"]),
        given(data["image"]),
        given(data["action"]),
        buttonsIn(data["actions"]),
        textsIn(data["customData"]),
    )
}

private fun given(value: Any?): String? = (value as? String)?.ifEmpty { null }

private fun jsonIn(text: String?): Any? =
    try {
        text?.let(::parseJson)
    } catch (_: Exception) {
        null
    }

private fun buttonsIn(actions: String?): List<PushButton> =
    (jsonIn(actions) as? List<*>)
        .orEmpty()
        .filterIsInstance<Map<*, *>>()
        .filter { it["title"] is String }
        .map { PushButton(given(it["title"]).orEmpty(), given(it["action"])) }
        .take(MAX_BUTTONS)

private fun textsIn(customData: String?): Map<String, String> {
    val texts = LinkedHashMap<String, String>()
    (jsonIn(customData) as? Map<*, *>)?.forEach { (name, value) -> if (value is String) texts[name.toString()] = value }
    return texts
}
