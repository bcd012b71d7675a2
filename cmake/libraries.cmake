# The libraries: macadam (the runtime) and macadam_import (the runtime and the importers). A host links one of them, and
# beside it macadam_formats if it wants answers as text.
include(CMakePackageConfigHelpers)
# The ABI's name: while the major version is 0, minor versions may break programs (docs/abi.md).
set(macadam_abi ${PROJECT_VERSION_MAJOR})
if(macadam_abi EQUAL 0)
    set(macadam_abi 0.${PROJECT_VERSION_MINOR})
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/macadam)
file(RELATIVE_PATH up_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

# macadam_library(NAME LANGUAGE OBJECTS LIBRARIES DESCRIPTION): OBJECTS are libraries that carry objects and
# what these need; LIBRARIES are the same needs as flags, for a host that links statically.
function(macadam_library name language objects libraries description)
    add_library(${name})
    add_library(macadam::${name} ALIAS ${name})
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:${objects}>)
    target_include_directories(${name} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ${language} VERSION ${PROJECT_VERSION} SOVERSION ${macadam_abi})
    if(NOT BUILD_SHARED_LIBS)
        target_link_libraries(${name} INTERFACE $<INSTALL_INTERFACE:${libraries}>)
    elseif(NOT APPLE) # the C++ library's templates are visible whatever the flags say
        target_link_options(${name} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
        if(NOT WIN32) # dlclose() must not remove the code of the pool's threads
            target_link_options(${name} PRIVATE LINKER:-z,nodelete)
        endif()
        set_target_properties(${name} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    endif()
    if(MACADAM_SANITIZE) # a program that loads an instrumented library has to bring the sanitizers' runtime
        target_link_options(${name} INTERFACE $<BUILD_INTERFACE:-fsanitize=${MACADAM_SANITIZE}>)
    endif()
    install(TARGETS ${name} EXPORT macadamTargets
        RUNTIME COMPONENT macadam_runtime LIBRARY COMPONENT macadam_runtime NAMELINK_COMPONENT macadam_development
        ARCHIVE COMPONENT macadam_development)
    list(JOIN libraries " " private_flags)
    set(public_flags)
    if(NOT BUILD_SHARED_LIBS)
        set(public_flags ${private_flags})
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/macadam.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT macadam_development)
endfunction()

set(runtime_libraries -lprotobuf-c -ldeflate -lzstd -lz -lm -pthread)
macadam_library(macadam C macadam_runtime "${runtime_libraries}" "Embeddable routing engine for road maps")
if(MACADAM_IMPORT)
    set(tiff_library)
    if(MACADAM_GEOTIFF)
        set(tiff_library -ltiff)
    endif()
    macadam_library(macadam_import CXX "macadam_runtime;macadam_import_objects"
        "${tiff_library};-lexpat;-lminizip;-lbz2;-llz4;-lstdc++;${runtime_libraries}"
        "Embeddable routing engine for road maps, with its importers")
endif()

macadam_library(macadam_formats C "macadam_formats_objects;macadam_structures" "-lm" "Answers of Macadam as GeoJSON, JSON and polylines")
if(WIN32) # there each library names those that it needs
    target_link_libraries(macadam_formats PRIVATE $<BUILD_INTERFACE:macadam>)
endif()
target_include_directories(macadam_formats INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/bindings/formats>)

install(FILES engine/include/macadam.h bindings/formats/macadam_formats.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT macadam_development)
install(EXPORT macadamTargets NAMESPACE macadam:: DESTINATION ${package_folder} COMPONENT macadam_development)
set(macadam_proto_folder ${CMAKE_INSTALL_DATADIR}/macadam/proto)
configure_package_config_file(cmake/macadamConfig.cmake.in ${PROJECT_BINARY_DIR}/macadamConfig.cmake
    INSTALL_DESTINATION ${package_folder} PATH_VARS macadam_proto_folder)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/macadamConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/macadamConfig.cmake ${PROJECT_BINARY_DIR}/macadamConfigVersion.cmake
    DESTINATION ${package_folder} COMPONENT macadam_development)
