# Documents and examples, the manual page and completions, as cmake --install puts them.
install(FILES COPYRIGHT LICENSE README.md BENCHMARKS.md CHANGELOG.md CONTRIBUTING.md SECURITY.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT macadam_command)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT macadam_command
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN site EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT macadam_development)

# All pages as HTML, with the references of C and Python: cmake --build BUILD --target site.
find_program(DOXYGEN doxygen)
if(DOXYGEN AND TARGET macadam_cli)
    configure_file(docs/Doxyfile.in docs/Doxyfile @ONLY)
    file(STRINGS docs/site/packages.txt site_packages)
    separate_arguments(site_packages)
    add_custom_target(site
        COMMAND ${PROJECT_SOURCE_DIR}/bindings/python/environment ${PROJECT_BINARY_DIR} ${site_packages}
        COMMAND ${PROJECT_SOURCE_DIR}/docs/site/build ${PROJECT_BINARY_DIR}
        DEPENDS macadam_import macadam_formats macadam_cli
        USES_TERMINAL VERBATIM)
endif()

# Made from what the command says of itself, so that it has to run here.
if(TARGET macadam_cli AND NOT CMAKE_CROSSCOMPILING)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(pages_folder ${PROJECT_BINARY_DIR}/docs/command)
    set(pages ${pages_folder}/macadam.1 ${pages_folder}/macadam.1.gz ${pages_folder}/macadam ${pages_folder}/_macadam ${pages_folder}/macadam.fish)
    file(MAKE_DIRECTORY ${pages_folder})
    add_custom_command(OUTPUT ${pages}
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/command_pages.py $<TARGET_FILE:macadam_cli> ${pages_folder}
        DEPENDS macadam_cli cmake/command_pages.py
        VERBATIM)
    add_custom_target(command_pages ALL DEPENDS ${pages})
    foreach(page man/man1/macadam.1.gz bash-completion/completions/macadam zsh/site-functions/_macadam
            fish/vendor_completions.d/macadam.fish)
        get_filename_component(name ${page} NAME)
        get_filename_component(folder ${page} DIRECTORY)
        install(FILES ${pages_folder}/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}
            COMPONENT macadam_command OPTIONAL) # a build of a single target may not have made it
    endforeach()
endif()
