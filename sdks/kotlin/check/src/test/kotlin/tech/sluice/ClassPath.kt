package tech.sluice

import java.io.File
import java.nio.file.Path

/** Folder of the Android module. */
val androidModule = File(System.getProperty("android.directory"))

private val classPath = (System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")).split(File.pathSeparator)

/** A jar of the class path by its name without the version, and its group where several have that name. */
fun jar(name: String, group: String = ""): Path =
    Path.of(classPath.first { Regex("$name-[0-9].*").matches(File(it).name) && group.replace('.', '/') in it })

fun classPathText(): String = classPath.joinToString(File.pathSeparator)
