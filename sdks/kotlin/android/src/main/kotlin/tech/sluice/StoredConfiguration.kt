package tech.sluice

import android.content.Context
import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import tech.sluice.core.JsonException
import tech.sluice.core.parseJson
import tech.sluice.core.formatJson

private const val MAX_FILE_BYTES = 65_536

/** Configuration of the last client that had consent, for processes in which the app has made no client. */
internal class StoredConfiguration(private val folder: File, private val context: Context) {
    private val file = File(folder, "configuration.json")

    fun write(configuration: Configuration) {
        val text =
            formatJson(
                linkedMapOf(
                    "apiKey" to configuration.apiKey,
                    "sourceIdentifier" to configuration.sourceIdentifier,
                    "apiHost" to configuration.apiHost,
                    "eventsPath" to configuration.eventsPath,
                    "channelId" to configuration.notifications.channelId,
                    "channelName" to configuration.notifications.channelName,
                    // A name, because the number of a resource changes with the next build.
                    "smallIcon" to nameOf(configuration.notifications.smallIcon),
                    "color" to configuration.notifications.color,
                ),
            )
        try {
            if (file.exists() && file.readText() == text) return
            folder.mkdirs()
            val aside = File(folder, "configuration.new")
            FileOutputStream(aside).use { it.write(text.toByteArray()) }
            aside.renameTo(file)
        } catch (_: IOException) {
            // A locked device, or no room: the next process tries again.
        }
    }

    private fun nameOf(resource: Int): String? {
        var name: String? = null
        if (resource != 0) quietly { name = context.resources.getResourceName(resource) }
        return name
    }

    fun clear() {
        file.delete()
    }

    fun read(): Configuration? =
        try {
            if (file.exists() && file.length() < MAX_FILE_BYTES) configurationOf(parseJson(file.readText()) as? Map<*, *>) else null
        } catch (_: IOException) {
            null
        } catch (_: JsonException) {
            null
        }

    private fun configurationOf(members: Map<*, *>?): Configuration? {
        if (members == null) return null
        val text = { name: String -> members[name] as? String }
        return Configuration(text("apiKey"), text("sourceIdentifier"), text("apiHost")) {
            eventsPath = text("eventsPath")
            text("channelId")?.let { notifications.channelId = it }
            text("channelName")?.let { notifications.channelName = it }
            text("smallIcon")?.let { notifications.smallIcon = context.resources.getIdentifier(it, null, null) }
            notifications.color = (members["color"] as? Number)?.toInt() ?: 0
        }
    }
}
